// Backends of the encoder, one row of a table each. The command line's values of --device, the
// choice of devices, a session's devices and the transcript's names follow from the table.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/devices/device_setup.h"
#include "app/engine/devices/encoder_set.h"
#include "npu/probe.h"

namespace wnpu::app {

// How several devices of a backend are named.
enum class Several {
  none,     // there is one
  listed,   // "npu:0,npu:2", as the system counts them, each once
  counted,  // "sim:4": four of them
  named,    // "ort:openvino:NPU", one by what the backend makes of the name
};

struct Backend {
  std::string_view name;  // of --device, and in transcripts
  // Why it cannot be used on this machine, empty where it can. `nodes` is what npu::probe() found.
  std::string (*probe)(std::span<const npu::ProbeResult> nodes);
  // nullptr: the CPU, which needs no device. `indexes`: which of several; none: the first. The
  // devices share n_threads. Throws npu::DeviceError.
  std::unique_ptr<EncoderSet> (*open)(const DeviceSetup& setup,
                                      std::span<const std::size_t> indexes, std::size_t n_threads);
  // Why "auto" took it, where it opens; empty: auto never takes it.
  std::string_view automatic_reason;
  Several several = Several::none;
};

// Backends of this program, the CPU first, which "auto" takes where it takes no other; then those
// that were added.
std::span<const Backend> backends();
const Backend* find_backend(std::string_view name);
std::vector<std::string_view> backend_names();

// A backend from outside, as long as it lives, which is longer than any model on it. Not while
// another thread uses the engine. Throws
// std::invalid_argument where the name is not new.
class AddedBackend {
 public:
  explicit AddedBackend(const Backend& backend);
  ~AddedBackend();
  AddedBackend(const AddedBackend&) = delete;
  AddedBackend& operator=(const AddedBackend&) = delete;

 private:
  std::string_view name_;
};

// In front of devices beside which the CPU encodes as well: "cpu,npu:0".
inline constexpr std::string_view kWithCpu = "cpu,";

// Whether a `requested` device, or several of them, may turn out to be this backend.
bool may_be(std::string_view requested, std::string_view backend);

}  // namespace wnpu::app
