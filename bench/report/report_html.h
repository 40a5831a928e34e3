// One self-contained HTML page of results: page.html with the data as JSON in it, nothing from
// elsewhere.
#pragma once

#include <string>

#include "bench/core/report.h"

namespace wnpu::bench {

// A page in UTF-8. A browser draws each datum as one element of class "mark".
std::string report_html(const Report& report);

}  // namespace wnpu::bench
