// Tensor operations on an NPU, or on its simulator, without a model. What is here may change with
// any version, as in whisper_npu.hpp.
//
//   wnpu::TensorDevice device("npu");                          // or "sim"
//   const wnpu::TensorHandle c = device.matmul(a, b, "int8");  // handed in, not yet done
//   const wnpu::TensorHandle y = device.gelu(x);
//   use(c.result().value, y.result().value);                   // waits
//
// What cannot be done is thrown as wnpu::Error: of an operation by its handle alone.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

// Beside this one.
#include "whisper_npu.hpp"
#include "whisper_npu_tensor_types.hpp"

namespace wnpu {

// A node of the NPU's driver.
struct NpuNode {
  std::string name;     // "/dev/accel/accel0"; "npu" where there is none at all
  std::string address;  // on the PCI bus, "0000:c4:00.1"; empty where there is no node
  bool usable = false;
  std::string reason;  // why it is not; empty: it is
  std::string remedy;  // the command that mends that; empty: none is known
};
// NPUs of this machine. Never empty: if there are none, an entry says so. Opens nothing.
WHISPER_NPU_API std::vector<NpuNode> npu_nodes();

struct TensorDeviceOptions {
  std::string xclbin = {};                       // of an NPU; empty: the installed one
  std::string preset = "phoenix-1.0/published";  // CLOCK/KERNELS whose times the simulator models
  unsigned threads = 0;  // of the simulator; 0: as many as this process has CPUs
};

// An operation that was handed in. Copies stand for the same one; it outlives its device.
class WHISPER_NPU_API TensorHandle {
 public:
  // Blocks until the operation is done; does not throw its error.
  void wait() const;
  // Whether it is done.
  bool ready() const;
  // Waits. Throws Error: usage for operands that make no sense, device, resources; what() names the
  // call and its sizes.
  const TensorResult& result() const;

  struct State;

 private:
  friend class TensorDevice;
  explicit TensorHandle(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// A device for tensors: what is handed in is done in that order, beside the caller. Bits depend on
// the operands alone, not on threads nor on what else is handed in. For one thread at a time.
class WHISPER_NPU_API TensorDevice {
 public:
  // "npu", "npu:1" or "sim". Throws Error.
  explicit TensorDevice(const std::string& device = "npu", const TensorDeviceOptions& options = {});
  // Finishes submitted work first.
  ~TensorDevice();
  TensorDevice(TensorDevice&&) noexcept;
  TensorDevice& operator=(TensorDevice&&) noexcept;

  const std::string& description() const;
  bool is_simulated() const;
  // Bytes of buffers on the device, for what is handed in from now on: it is cut into calls that
  // take no more, or refused with the least limit that would do. None: no limit.
  void set_memory_limit(std::optional<std::uint64_t> bytes);

  // a [m, k] times b [k, n], as [m, n] in fp32. type: number format of the operands on the array:
  // "bf16", "int8", "int16"; another one is thrown here. All other errors of an operation come from
  // its handle's result().
  TensorHandle matmul(Tensor a, Tensor b, const std::string& type = "bf16");
  // Softmax of each row; the result has the shape of x.
  TensorHandle softmax(Tensor x);
  // Each row to mean 0 and variance 1 (epsilon 1e-5).
  TensorHandle layer_norm(Tensor x);
  // x/2 (1 + erf(x / sqrt 2)) of each value.
  TensorHandle gelu(Tensor x);
  // softmax(scale q k^T) v: [queries, width], [keys, width], [keys, width], or each [heads, ...].
  // scale: none: 1 / sqrt(width).
  TensorHandle attention(Tensor q, Tensor k, Tensor v, std::optional<double> scale = {});

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wnpu
