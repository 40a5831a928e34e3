#include "encoder/npu/npu_array.h"

#include "models/base/error.h"
#include "models/base/stage_timer.h"

namespace wnpu::encoder {

std::uint64_t NpuArray::moved_bytes() const {
  const npu::RunStats stats = device->stats();
  return stats.to_device_bytes + stats.from_device_bytes;
}

void NpuArray::begin_file() {
  n_windows = 0;
  busy_s = 0;
  exchanged_bytes = 0;
  device->reset_stats();
}

std::string failure_of(const std::function<void()>& f) {
  try {
    f();
  } catch (const npu::Stopped&) {
    throw models::Stopped();
  } catch (const npu::DeviceError& error) {
    return error.what();
  }
  return {};
}

ArrayEncoder::ArrayEncoder(NpuArray& array, const NpuModel& model)
    : array_(array),
      encoder_(
          model.ends,
          make_npu_backend(*array.device, model.dims, model.weights, *array.pool, model.options),
          *array.pool) {}

void ArrayEncoder::encode(const models::LogMel& mel, models::EncoderStates& out,
                          const std::function<bool()>& should_stop) {
  const auto start = models::Clock::now();
  array_.failure = failure_of([&] { encoder_.encode(mel, out, should_stop); });
  if (!array_.failure.empty()) throw npu::DeviceError(array_.failure);
  ++array_.n_windows;
  array_.busy_s += models::seconds_since(start);
}

}  // namespace wnpu::encoder
