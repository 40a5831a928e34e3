// Shared state of a Model's copies and its sessions.
#pragma once

#include <filesystem>
#include <memory>
#include <mutex>
#include <optional>

#include "app/engine/devices/device_choice.h"
#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"

namespace wnpu {

struct __attribute__((visibility("hidden"))) Model::State {
  ModelOptions options;
  std::optional<app::DeviceSetup> setup;  // of options.device
  unsigned threads = 1;
  ModelInfo info;
  DeviceInfo device;
  double load_s = 0;
  std::shared_ptr<const app::LoadedModel> loaded;

  // The devices that settled what `device` says, for the first session that asks; devices of its
  // own for every other; none: the CPU. Throws DeviceError.
  std::unique_ptr<app::EncoderSet> take_devices();

  std::mutex mutex;
  std::unique_ptr<app::EncoderSet> opened;  // not taken yet
};

}  // namespace wnpu
