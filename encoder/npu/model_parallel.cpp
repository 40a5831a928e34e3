#include "encoder/npu/model_parallel.h"

namespace wnpu::encoder {
namespace {

std::string failures_of(std::span<const NpuArray> arrays) {
  std::string failures;
  for (const NpuArray& array : arrays) failures += (failures.empty() ? "" : "; ") + array.failure;
  return failures;
}

}  // namespace

void ModelParallel::begin(const std::string& part, std::size_t n_parts) {
  if (arrays_.size() > n_parts) {
    throw npu::DeviceError("split " + part + "s: expected at most " + std::to_string(n_parts) +
                           " devices, a " + part + " each, found " +
                           std::to_string(arrays_.size()));
  }
  const Working all = working();
  if (make_parts(all)) {
    divided_ = all;
    return;
  }
  for (const NpuArray& array : arrays_) {
    if (!array.failure.empty()) throw npu::DeviceError(array.failure);
  }
}

ModelParallel::Working ModelParallel::working() const {
  const std::lock_guard lock(failures_);
  Working all;
  for (NpuArray& array : arrays_) {
    if (array.failure.empty()) all.push_back(&array);
  }
  return all;
}

bool ModelParallel::is_whole() const { return !divided_.empty() && divided_ == working(); }

bool ModelParallel::runs_on(NpuArray& array, const std::function<void()>& f) {
  const std::string failure = failure_of(f);
  if (failure.empty()) return true;
  const std::lock_guard lock(failures_);
  array.failure = failure;
  return false;
}

void ModelParallel::encode(const models::LogMel& mel, models::EncoderStates& out,
                           const std::function<bool()>& should_stop) {
  while (true) {
    {
      const std::shared_lock on_its_way(division_);
      if (is_whole() && encode_divided(mel, out, should_stop)) return;
    }
    divide();
  }
}

// Arrays that fail while they get their parts leave them to the others as well.
void ModelParallel::divide() {
  const std::lock_guard no_window(division_);
  while (!is_whole()) {
    const Working left = working();
    if (left.empty()) throw npu::DeviceError(failures_of(arrays_));
    divided_.clear();
    if (make_parts(left)) divided_ = left;
  }
}

}  // namespace wnpu::encoder
