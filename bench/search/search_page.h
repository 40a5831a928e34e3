// Page of charts with the results of a search for encoders (bench/report).
#pragma once

#include <string>

#include "npu/search/report.h"

namespace wnpu::bench {

std::string search_page(const npu::SearchReport& report);

}  // namespace wnpu::bench
