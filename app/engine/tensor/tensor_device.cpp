#include <mutex>
#include <utility>

#include "app/engine/devices/named_device.h"
#include "app/engine/error.h"
#include "app/engine/whisper_npu_tensor.hpp"
#include "npu/probe.h"
#include "npu/tensor/queue.h"

namespace wnpu {
namespace {

namespace ops = npu::ops;

ops::Tensor operand(Tensor tensor) { return {std::move(tensor.shape), std::move(tensor.values)}; }

TensorReport report_of(const ops::Report& from) {
  TensorReport report;
  report.operation = from.operation;
  report.ran_on = from.ran_on == ops::RanOn::cpu ? "cpu" : "core";
  report.reason = from.reason;
  report.device = from.device;
  report.is_simulated = from.is_simulated;
  report.calls = from.calls;
  report.modelled_ms = from.modelled_ms;
  report.wall_ms = from.wall_ms;
  report.sent_bytes = from.sent_bytes;
  report.fetched_bytes = from.fetched_bytes;
  report.ddr_bytes = from.ddr_bytes;
  report.memory_bytes = from.memory_bytes;
  report.apart_bytes = from.apart_bytes;
  report.bound = {from.bound.absolute, from.bound.relative, from.bound.has_half_step,
                  from.bound.magnitude, from.bound.operands};
  return report;
}

// f(), whose errors are the interface's.
template <typename F>
void with_tensor_errors(const F& f) {
  try {
    app::with_errors("tensor operation", f);
  } catch (const ops::TensorError& error) {
    throw Error(ErrorCode::usage, error.what());
  }
}

}  // namespace

std::vector<NpuNode> npu_nodes() {
  std::vector<NpuNode> nodes;
  for (npu::ProbeResult& found : npu::probe()) {
    nodes.push_back({std::move(found.name), std::move(found.bdf), found.usable,
                     std::move(found.reason), std::move(found.remedy)});
  }
  return nodes;
}

struct TensorHandle::State {
  explicit State(ops::Handle handed_in) : handle(std::move(handed_in)) {}

  ops::Handle handle;
  std::once_flag is_taken;
  TensorResult result;
};

void TensorHandle::wait() const { state_->handle.wait(); }
bool TensorHandle::ready() const { return state_->handle.ready(); }

const TensorResult& TensorHandle::result() const {
  with_tensor_errors([this] {
    const ops::Result& found = state_->handle.result();
    std::call_once(state_->is_taken, [&] {
      state_->result = {{found.value.shape, found.value.values}, report_of(found.report)};
    });
  });
  return state_->result;
}

struct TensorDevice::State {
  explicit State(std::unique_ptr<npu::Device> opened)
      : device(std::move(opened)), description(device->description()), queue(*device) {}

  std::unique_ptr<npu::Device> device;
  std::string description;
  ops::Queue queue;  // last: it works on the device
};

TensorDevice::TensorDevice(const std::string& device, const TensorDeviceOptions& options) {
  with_tensor_errors([&] {
    state_ = std::make_unique<State>(
        app::open_named({device, options.xclbin, options.preset, options.threads}));
  });
}

TensorDevice::~TensorDevice() = default;
TensorDevice::TensorDevice(TensorDevice&&) noexcept = default;
TensorDevice& TensorDevice::operator=(TensorDevice&&) noexcept = default;

const std::string& TensorDevice::description() const { return state_->description; }
bool TensorDevice::is_simulated() const { return state_->device->is_simulated(); }

void TensorDevice::set_memory_limit(std::optional<std::uint64_t> bytes) {
  state_->queue.set_memory_limit(bytes);
}

TensorHandle TensorDevice::matmul(Tensor a, Tensor b, const std::string& type) {
  const std::optional<ops::Type> found = ops::find_type(type);
  if (!found) throw Error("type", ": expected bf16, int8 or int16, found " + type);
  return TensorHandle(std::make_shared<TensorHandle::State>(
      state_->queue.matmul(operand(std::move(a)), operand(std::move(b)), *found)));
}

TensorHandle TensorDevice::softmax(Tensor x) {
  return TensorHandle(
      std::make_shared<TensorHandle::State>(state_->queue.softmax(operand(std::move(x)))));
}

TensorHandle TensorDevice::layer_norm(Tensor x) {
  return TensorHandle(
      std::make_shared<TensorHandle::State>(state_->queue.layer_norm(operand(std::move(x)))));
}

TensorHandle TensorDevice::gelu(Tensor x) {
  return TensorHandle(
      std::make_shared<TensorHandle::State>(state_->queue.gelu(operand(std::move(x)))));
}

TensorHandle TensorDevice::attention(Tensor q, Tensor k, Tensor v, std::optional<double> scale) {
  return TensorHandle(std::make_shared<TensorHandle::State>(state_->queue.attention(
      operand(std::move(q)), operand(std::move(k)), operand(std::move(v)), {scale})));
}

}  // namespace wnpu
