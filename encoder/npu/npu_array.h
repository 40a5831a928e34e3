// One of the arrays that a session has opened, and an encoder of whole windows on it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "encoder/encoder.h"
#include "encoder/npu/npu_backend.h"
#include "models/base/thread_pool.h"
#include "npu/device.h"
#include "npu/plans/split.h"

namespace wnpu::encoder {

// An array with its host threads, its part of the encoder, and its counts for one file.
struct NpuArray {
  std::string name;  // "npu:1", "sim"
  std::unique_ptr<npu::Device> device;
  std::unique_ptr<models::ThreadPool> pool = nullptr;  // for the host's part of the work
  std::optional<npu::LayerRange> layers = {};          // that it has of each window; none: all
  std::optional<npu::LayerPart> part = {};             // the same of heads and hidden columns
  std::string failure = {};  // why it is left out for the rest of the file; empty: it is not
  std::size_t n_windows = 0;
  double busy_s = 0;                  // on windows that it finished
  std::uint64_t exchanged_bytes = 0;  // moved for states that pass between arrays

  // Copied between host and device since the file began.
  std::uint64_t moved_bytes() const;
  // Counts begin anew.
  void begin_file();
};

// Runs f; the message of a device that failed in it, empty where none did. Throws models::Stopped
// where a device was asked to stop.
std::string failure_of(const std::function<void()>& f);

// A model's encoder, as arrays take it. All outlive what is made of them.
struct NpuModel {
  const models::Dims& dims;
  const PackedStemAndNorm& ends;
  const models::EncoderWeights& weights;
  NpuOptions options;
};

// All layers of each window on one array.
class ArrayEncoder final : public WindowEncoder {
 public:
  // `array` must outlive it. Throws npu::DeviceError where it cannot run the model.
  ArrayEncoder(NpuArray& array, const NpuModel& model);

  void encode(const models::LogMel& mel, models::EncoderStates& out,
              const std::function<bool()>& should_stop) override;

 private:
  NpuArray& array_;
  Encoder encoder_;
};

}  // namespace wnpu::encoder
