// Interface of a backend's devices to the engine: encoders of whole windows, and what to report.
#pragma once

#include <cstddef>
#include <functional>
#include <stdexcept>
#include <string>
#include <vector>

#include "app/engine/loaded_model.h"
#include "app/engine/whisper_npu.hpp"
#include "encoder/window_encoder.h"

namespace wnpu::app {

struct NamedEncoder {
  std::string name;  // in reports
  encoder::WindowEncoder* encoder = nullptr;
};

// Devices of one backend, opened for one session before a model is loaded: auto asks whether they
// open. A session's threads share one; functions but encode() are called between windows.
class EncoderSet {
 public:
  virtual ~EncoderSet() = default;

  // Devices, each of which has its share of the session's threads.
  virtual std::size_t n_devices() const { return 1; }

  // Loads of the model what all sessions on such devices share. Throws ModelError.
  virtual void prepare(const LoadedModel& /*model*/) const {}

  // Takes the model, which must outlive the set; once, before what follows. n_threads: each
  // device's, for its work on the host. Throws npu::DeviceError where it cannot run the model.
  virtual void load(const LoadedModel& model, std::size_t n_threads) = 0;

  // Encoders for the next file, valid until the next call: with all devices, whatever failed
  // before, and with counts begun anew. n_at_once: windows that will be there at a time. Throws
  // npu::DeviceError.
  virtual std::vector<NamedEncoder> begin_file(std::size_t n_at_once) = 0;

  // Modelled time of a window on one of the devices, beside the CPU. Throws std::invalid_argument
  // where no time model says it.
  virtual double window_ms() const { throw std::invalid_argument("the backend has none"); }

  // Asked while windows are encoded, beside what encode() is given.
  virtual void set_should_stop(std::function<bool()> /*should_stop*/) {}

  // Adds to a report what the engine does not count. `devices` has a row an encoder, with name,
  // windows, threads, time and failure, none before the first file; a set of several devices an
  // encoder puts a row a device in their place.
  virtual void describe(std::vector<DeviceUse>& /*devices*/, DeviceInfo& /*info*/) const {}
};

}  // namespace wnpu::app
