// Device options, checked, with the files they name.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

#include "app/engine/devices/operator_choice.h"
#include "app/engine/whisper_npu.hpp"
#include "encoder/npu/npu_backend.h"
#include "models/weights/precision.h"
#include "npu/plans/split.h"

namespace wnpu::app {

inline constexpr std::string_view kNpuBackend = "npu";
inline constexpr std::string_view kSimulatorBackend = "sim";
inline constexpr std::string_view kOrtBackend = "ort";
// Not a backend, nor a way to divide: the choice of one.
inline constexpr std::string_view kAutoDevice = "auto";

// Device options with the plan and external operators, read once for all devices of a model.
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

// Plan and precision of an NPU. Throws Error(usage) that lists the names, for one that does not
// exist, and where a plan file has one of them beside it. The file is not read.
encoder::NpuOptions npu_names(const DeviceOptions& options);

// CPU precision that the options name. Throws Error(usage) that lists the names, for an unknown
// one.
models::Precision cpu_precision(const DeviceOptions& options);

// Division of the work among NPUs; none: the time model chooses. Throws as cpu_precision().
std::optional<npu::Split> asked_split(const DeviceOptions& options);

// Whether anything is said of how an NPU is to work.
bool asks_for_npu(const DeviceOptions& options);

}  // namespace wnpu::app
