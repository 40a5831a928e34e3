// One self-contained HTML page of results: tables and charts as inline SVG, nothing from elsewhere.
#pragma once

#include <string>

#include "bench/core/report.h"

namespace wnpu::bench {

// A page in UTF-8. Each datum is one element of class "mark".
std::string report_html(const Report& report);

}  // namespace wnpu::bench
