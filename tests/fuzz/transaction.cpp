// A control program: refused, or the same bytes again.
#include <algorithm>
#include <cstdlib>
#include <span>

#include "npu/control/control_program.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto bytes = std::as_bytes(std::span(data, size));
  try {
    if (!std::ranges::equal(wnpu::npu::encode(wnpu::npu::decode(bytes)), bytes)) std::abort();
  } catch (const wnpu::npu::ControlError&) {
  }
  return 0;
}
