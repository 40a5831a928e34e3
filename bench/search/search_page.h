// What a search for encoders has found as a page of charts (bench/report).
#pragma once

#include <string>

#include "npu/search/report.h"

namespace wnpu::bench {

std::string search_page(const npu::SearchReport& report);

}  // namespace wnpu::bench
