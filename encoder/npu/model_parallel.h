// Several arrays that are one encoder: each has a part of the model. Where one fails, the others
// divide the model anew, and begin again the windows that were on their way.
#pragma once

#include <cstddef>
#include <functional>
#include <mutex>
#include <shared_mutex>
#include <span>
#include <string>
#include <vector>

#include "encoder/npu/npu_array.h"
#include "encoder/window_encoder.h"

namespace wnpu::encoder {

class ModelParallel : public WindowEncoder {
 public:
  // Throws npu::DeviceError, with every cause, where all arrays have failed.
  void encode(const models::LogMel& mel, models::EncoderStates& out,
              const std::function<bool()>& should_stop) final;

 protected:
  using Working = std::vector<NpuArray*>;

  // `arrays` and what `model` names must outlive it.
  ModelParallel(std::span<NpuArray> arrays, const NpuModel& model)
      : arrays_(arrays), model_(model) {}

  // Divides the model for the first time. Throws npu::DeviceError where an array cannot have its
  // part, and for more arrays than there are parts ("layer", "head") in the model.
  void begin(const std::string& part, std::size_t n_parts);
  // Runs f on a thread that has the array to itself; false where the array failed.
  bool runs_on(NpuArray& array, const std::function<void()>& f);
  // Whether the arrays that work are those that have a part.
  bool is_whole() const;

  std::span<NpuArray> arrays_;
  NpuModel model_;

 private:
  // Gives each of these arrays its part; false where one failed.
  virtual bool make_parts(const Working& working) = 0;
  // False where an array failed: the window is to be begun again.
  virtual bool encode_divided(const models::LogMel& mel, models::EncoderStates& out,
                              const std::function<bool()>& should_stop) = 0;

  Working working() const;
  void divide();

  mutable std::mutex failures_;  // guards the arrays'
  std::shared_mutex division_;   // shared by windows on their way
  Working divided_;              // the arrays that have parts
};

}  // namespace wnpu::encoder
