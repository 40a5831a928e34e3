// --kernel-table of bench and npu predict: times by what first light measured on an NPU
// (npu/first_light/README.md).
#pragma once

#include <filesystem>
#include <optional>

#include "npu/first_light/measured_table.h"

namespace wnpu::app {

// The table in the file; none where no file is named. Throws UsageError with expected and found.
std::optional<npu::MeasuredTable> read_measured_table(const std::filesystem::path& file);

}  // namespace wnpu::app
