// Backends of the encoder's layers, one row of a table each. The command line's values of --device,
// the choice of a device, a session's device and the transcript's names follow from the table.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/devices/operator_choice.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "encoder/layer_backend.h"
#include "encoder/npu/npu_backend.h"
#include "encoder/partial_layers.h"
#include "models/base/thread_pool.h"
#include "npu/device.h"
#include "npu/plans/split_model.h"
#include "npu/probe.h"

namespace wnpu::app {

// Device that runs the layers instead of the CPU: opened for one session, used by one thread at a
// time. Its layers throw npu::DeviceError if it fails, npu::Stopped if it was asked to stop.
class EncoderDevice {
 public:
  virtual ~EncoderDevice() = default;

  // As --device would name it alone: "npu:1", "sim".
  virtual std::string_view name() const = 0;
  // The model's layers, or a range of them. All must outlive the layers. Throws DeviceError where
  // it cannot run such a model.
  virtual std::unique_ptr<encoder::LayerBackend> make_layers(
      const LoadedModel& model, models::ThreadPool& pool,
      const std::optional<npu::LayerRange>& range) = 0;
  // A part of all layers. The same holds.
  virtual std::unique_ptr<encoder::PartialLayers> make_part(const LoadedModel& model,
                                                            const npu::LayerPart& part) = 0;
  // The time model of this kind of device for a model of these dims; it must not outlive the
  // device. Throws DeviceError where there is none.
  virtual std::unique_ptr<npu::SplitModel> split_model(const models::Dims& dims) const = 0;
  // Copied between the host and the device's buffers since the last reset_counts().
  virtual std::uint64_t moved_bytes() const = 0;
  // Asked while layers run.
  virtual void set_should_stop(std::function<bool()> should_stop) = 0;
  // Resets the counts that describe() reports.
  virtual void reset_counts() = 0;
  // Fills `info` with the device's identity and counts, after n_layers layers of n_windows windows.
  virtual void describe(std::size_t n_windows, std::size_t n_layers, DeviceInfo& info) const = 0;
};

// Device options with the files they name, the plan and external operators, read once for all
// devices of a model.
class DeviceSetup {
 public:
  // Throws Error(usage) that lists the names, for one that does not exist.
  DeviceSetup(const DeviceOptions& options = {});  // NOLINT: they are what it is set up by

  const DeviceOptions& options() const { return options_; }
  // Another device than the options', with what has been read.
  void request(const std::string& device) { options_.requested = device; }
  const encoder::NpuOptions& npu() const { return npu_; }
  // choose_operator(), once for each kind of device.
  const std::optional<ChosenOperator>& chosen_operator(bool is_simulated) const;

 private:
  DeviceOptions options_;
  encoder::NpuOptions npu_;
  mutable std::array<std::optional<std::optional<ChosenOperator>>, 2> operators_;
};

struct Backend {
  std::string_view name;  // of --device, and in transcripts
  // Why it cannot be used on this machine, empty where it can. `nodes` is what npu::probe() found.
  std::string (*probe)(std::span<const npu::ProbeResult> nodes);
  // nullptr: the CPU, which needs no device. `index`: which of several; none: the first. The
  // simulator gets n_threads. Throws DeviceError.
  std::unique_ptr<EncoderDevice> (*make)(const DeviceSetup& setup, std::optional<std::size_t> index,
                                         std::size_t n_threads);
  // Why "auto" took it, where it opens; empty: auto never takes it.
  std::string_view automatic_reason;
};

// The CPU first, which "auto" takes where it takes no other.
std::span<const Backend> backends();
const Backend* find_backend(std::string_view name);
std::vector<std::string_view> backend_names();

inline constexpr std::string_view kNpuBackend = "npu";
inline constexpr std::string_view kSimulatorBackend = "sim";
// Not a backend: the choice of one.
inline constexpr std::string_view kAutoDevice = "auto";

// In front of devices beside which the CPU encodes as well: "cpu,npu:0".
inline constexpr std::string_view kWithCpu = "cpu,";

// Whether a `requested` device, or several of them, may turn out to be this backend.
bool may_be(std::string_view requested, std::string_view backend);

// An NPU as a device of ours, with an operator in the place of one of its own.
std::unique_ptr<EncoderDevice> npu_device(std::unique_ptr<npu::Device> device,
                                          const DeviceSetup& setup, std::string name = "npu",
                                          std::optional<ChosenOperator> chosen = std::nullopt);

// Throws Error(usage) about a field of the options: what was expected, what was found.
template <typename Names>
[[noreturn]] void refuse_name(std::string_view option, const Names& names,
                              const std::string& found) {
  std::string expected;
  for (const std::string_view name : names) expected += std::string(name) + ", ";
  throw Error(option, ": expected " + expected + "found " + found);
}

// Plan and precision. Throws Error(usage) that lists the names, for one that does not exist, and
// where a plan file has one of them beside it. The file is not read.
encoder::NpuOptions npu_names(const DeviceOptions& options);

}  // namespace wnpu::app
