#include "npu/xrt/xrt_hints.h"

#include <array>

#include "npu/probe.h"

namespace wnpu::npu {
namespace {

bool has_word(std::string_view text, std::string_view part) {
  return text.find(part) != std::string_view::npos;
}

struct Hint {
  std::string_view sign;  // a part of XRT's message
  std::string_view hint;
};

// Messages as XRT 2.13 (noop) and 2.25 with libxrt_driver_xdna say them, seen in
// tests/xdna_mock. The order counts: the first sign found decides.
constexpr std::array kHints = {
    Hint{"XILINX_XRT not set",
         "XRT 2.13 needs XILINX_XRT and knows no XDNA NPU: build with XRT 2.18 or later"},
    Hint{"Permission denied", "add this user to the group render"},
    Hint{"CREATE_HWCTX",
         "all hardware contexts may be in use (6 on Phoenix and Hawk Point), or the XCLBIN wants "
         "more columns than this NPU has"},
    Hint{"No valid DPU kernel", "this XCLBIN has no AIE partition: it was not built for an NPU"},
    Hint{"No such kernel", "this XCLBIN was not built by MLIR-AIE"},
    Hint{"TIMEOUT", "the driver ended the command (tdr_timeout_ms): see the kernel log"},
};

}  // namespace

std::string hint_for(std::string_view cause) {
  // MAP_LOCKED beyond RLIMIT_MEMLOCK: EAGAIN, see mmap(2).
  if (has_word(cause, "mmap") && has_word(cause, "err=-11"))
    return locked_memory_problem(locked_memory());
  if (has_word(cause, "No such device") || has_word(cause, "Could not open device")) {
    for (const ProbeResult& node : probe()) {
      if (!node.usable) return node.name + ": " + node.reason;
    }
    return "the driver is there, but XRT does not see it: is the XDNA part of XRT installed "
           "(Debian: libxrt-npu2)?";
  }
  for (const Hint& known : kHints) {
    if (has_word(cause, known.sign)) return std::string(known.hint);
  }
  return {};
}

std::string error_text(std::string_view device, std::string_view call, std::string_view cause) {
  while (!cause.empty() && (cause.front() == ' ' || cause.front() == '\n')) cause.remove_prefix(1);
  while (!cause.empty() && (cause.back() == ' ' || cause.back() == '\n')) cause.remove_suffix(1);
  std::string text = std::string(device) + ": " + std::string(call) + ": " + std::string(cause);
  const std::string hint = hint_for(cause);
  return hint.empty() ? text : text + " (hint: " + hint + ")";
}

}  // namespace wnpu::npu
