// The one file that knows the generations of XRT apart:
//   2.13 (Debian 12)   device.load_xclbin, kernel(device, uuid, name), one run after another;
//                      knows no XDNA NPU, but its noop driver runs this host path;
//   2.18 and later     register_xclbin, hw_context, kernel(context, name), runlist.
// For npu/xrt/*.cpp alone: XRT's types end here.
#pragma once

#include <cstddef>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <xrt/xrt_bo.h>
#include <xrt/xrt_device.h>
#include <xrt/xrt_kernel.h>

#if __has_include(<xrt/xrt_hw_context.h>)
#include <xrt/detail/version-slim.h>
#include <xrt/experimental/xrt_kernel.h>
#include <xrt/experimental/xrt_system.h>
#include <xrt/experimental/xrt_xclbin.h>
#include <xrt/xrt_hw_context.h>
#define WNPU_XRT_HAS_CONTEXTS 1
#else
#include <experimental/xrt_system.h>
#include <experimental/xrt_xclbin.h>
#include <version.h>
#define WNPU_XRT_HAS_CONTEXTS 0
#endif

namespace wnpu::npu::xrt_compat {

inline std::string version() {
  static constexpr int kCode = XRT_VERSION_CODE;
  return std::to_string(XRT_MAJOR(kCode)) + "." + std::to_string(XRT_MINOR(kCode));
}

// A loaded XCLBIN. XRT's objects are counted references: a copy keeps the device open.
struct Overlay {
  xrt::device device;
#if WNPU_XRT_HAS_CONTEXTS
  xrt::hw_context context;
#endif
  xrt::kernel kernel;
  std::size_t n_arguments = 0;  // opcode, instructions, their count, then the buffers
};

// MLIR-AIE may append an instance number to the kernel's name, so a prefix decides.
inline const xrt::xclbin::kernel& find_kernel(const std::vector<xrt::xclbin::kernel>& kernels,
                                              const std::string& prefix) {
  std::string names;
  for (const auto& kernel : kernels) {
    if (kernel.get_name().rfind(prefix, 0) == 0) return kernel;
    names += " " + kernel.get_name();
  }
  throw std::runtime_error("No such kernel: expected " + prefix + "*, found:" + names);
}

inline Overlay load_overlay(const xrt::device& device, const std::string& path,
                            const std::string& kernel_prefix) {
  const xrt::xclbin container(path);
  const auto kernels = container.get_kernels();
  const xrt::xclbin::kernel& kernel = find_kernel(kernels, kernel_prefix);
  Overlay overlay;
  overlay.device = device;
  overlay.n_arguments = kernel.get_num_args();
#if WNPU_XRT_HAS_CONTEXTS
  const xrt::uuid id = overlay.device.register_xclbin(container);
  overlay.context = xrt::hw_context(device, id);
  overlay.kernel = xrt::kernel(overlay.context, kernel.get_name());
#else
  const xrt::uuid id = overlay.device.load_xclbin(container);
  overlay.kernel = xrt::kernel(device, id, kernel.get_name());
#endif
  return overlay;
}

// A run of a command that the device ended without success.
struct RunFailure : std::runtime_error {
  RunFailure(std::size_t failed_run, const std::string& what)
      : std::runtime_error(what), run(failed_run) {}
  std::size_t run;  // its place in the command
};

// SUBMITTED (7) lies between the states of commands that have ended (ert.h).
inline bool is_final(ert_cmd_state state) {
  return state >= ERT_CMD_STATE_COMPLETED && state != ERT_CMD_STATE_SUBMITTED;
}

inline std::string state_name(ert_cmd_state state) {
  switch (state) {
    case ERT_CMD_STATE_ERROR:
      return "ERROR";
    case ERT_CMD_STATE_ABORT:
      return "ABORT";
    case ERT_CMD_STATE_TIMEOUT:
      return "TIMEOUT";
    case ERT_CMD_STATE_NORESPONSE:
      return "NORESPONSE";
    default:
      return std::to_string(state);
  }
}

// One command for the driver: a run, or as many runs as go in one runlist.
// Hazards of XRT 2.25 with libxrt_driver_xdna, all seen in tests/xdna_mock:
//  - the process is aborted when a run that has not ended is destroyed;
//  - waits with a timeout throw instead of reporting it, so none is used;
//  - once runlist::state() has reported a failure, runlist::wait() reports success.
class Command {
 public:
  // XDNA's driver chains at most 24 runs (amd/xdna-driver, test/xrt_test: MAX_RUNLIST_CMDS).
  static constexpr std::size_t kMaxRuns = WNPU_XRT_HAS_CONTEXTS ? 24 : 1;

#if WNPU_XRT_HAS_CONTEXTS
  Command(const Overlay& overlay, std::vector<xrt::run> runs) : runs_(std::move(runs)) {
    if (is_single()) return;
    list_ = xrt::runlist(overlay.context);
    for (const xrt::run& run : runs_) list_.add(run);
  }
  void start() { is_single() ? runs_[0].start() : list_.execute(); }
  bool has_ended() const { return is_final(is_single() ? runs_[0].state() : list_.state()); }
#else
  Command(const Overlay& /*overlay*/, std::vector<xrt::run> runs) : runs_(std::move(runs)) {}
  void start() { runs_[0].start(); }
  bool has_ended() const { return is_final(runs_[0].state()); }
#endif

  // After has_ended(): throws unless every run succeeded. Runs after the one that failed were not
  // done; XRT marks them as aborted.
  void finish() const {
    for (std::size_t i = 0; i < runs_.size(); ++i) {
      const ert_cmd_state state = runs_[i].state();
      if (state == ERT_CMD_STATE_COMPLETED) continue;
      throw RunFailure(i, "the device ended the command in state " + state_name(state));
    }
  }
  std::vector<xrt::run>& runs() { return runs_; }

 private:
  std::vector<xrt::run> runs_;
#if WNPU_XRT_HAS_CONTEXTS
  bool is_single() const { return runs_.size() == 1; }
  xrt::runlist list_;
#endif
};

}  // namespace wnpu::npu::xrt_compat
