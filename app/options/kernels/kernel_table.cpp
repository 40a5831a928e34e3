#include "app/options/kernels/kernel_table.h"

#include <fstream>
#include <iterator>
#include <stdexcept>
#include <string>

#include "app/options/exit_code.h"

namespace wnpu::app {

std::optional<npu::MeasuredTable> read_measured_table(const std::filesystem::path& file) {
  if (file.empty()) return std::nullopt;
  std::error_code error;
  // A device or a pipe might never end.
  std::ifstream stream;
  if (std::filesystem::is_regular_file(file, error)) stream.open(file);
  if (!stream.is_open()) {
    throw UsageError(file.string() +
                     ": expected a result of npu first-light, found no readable file");
  }
  try {
    const std::string text{std::istreambuf_iterator<char>(stream), {}};
    return npu::parse_measured_table(text, file.string());
  } catch (const std::invalid_argument& fault) {
    throw UsageError(fault.what());
  }
}

}  // namespace wnpu::app
