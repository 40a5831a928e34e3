#include <memory>
#include <utility>

#include "app/engine/devices/named_device.h"
#include "app/engine/error.h"
#include "app/engine/whisper_npu_tensor.hpp"
#include "npu/probe.h"
#include "npu/tensor/queue.h"

namespace wnpu {
namespace {

namespace ops = npu::ops;

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
};

void TensorHandle::wait() const { state_->handle.wait(); }
bool TensorHandle::ready() const { return state_->handle.ready(); }

const TensorResult& TensorHandle::result() const {
  const TensorResult* found = nullptr;
  with_tensor_errors([&] { found = &state_->handle.result(); });
  return *found;
}

struct TensorDevice::State {
  explicit State(std::unique_ptr<npu::Device> opened)
      : device(std::move(opened)), description(device->description()), queue(*device) {}

  static TensorHandle handle(ops::Handle handed_in) {
    return TensorHandle(std::make_shared<TensorHandle::State>(std::move(handed_in)));
  }

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
  return state_->handle(state_->queue.matmul(std::move(a), std::move(b), *found));
}

TensorHandle TensorDevice::softmax(Tensor x) {
  return state_->handle(state_->queue.softmax(std::move(x)));
}

TensorHandle TensorDevice::layer_norm(Tensor x) {
  return state_->handle(state_->queue.layer_norm(std::move(x)));
}

TensorHandle TensorDevice::gelu(Tensor x) {
  return state_->handle(state_->queue.gelu(std::move(x)));
}

TensorHandle TensorDevice::attention(Tensor q, Tensor k, Tensor v, std::optional<double> scale) {
  return state_->handle(state_->queue.attention(std::move(q), std::move(k), std::move(v), {scale}));
}

}  // namespace wnpu
