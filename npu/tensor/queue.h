// Tensor operations on a device: handed in, done one after the other beside the caller, results
// taken when they are wanted.
//
//   ops::Queue queue(*device);
//   const ops::Handle product = queue.matmul(a, b);
//   const ops::Handle other = queue.softmax(x);
//   use(other.result().value, product.result().value);
#pragma once

#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <future>
#include <mutex>
#include <optional>
#include <thread>

#include "npu/device.h"
#include "npu/tensor/array_calls.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// One operation that was handed in. Copies stand for the same one; it outlives its queue.
class Handle {
 public:
  void wait() const { future_.wait(); }
  bool ready() const;
  // Waits. Throws what went wrong: TensorError for operands, DeviceError for the device, both
  // naming the call and its sizes; std::bad_alloc.
  const TensorResult& result() const { return future_.get(); }

 private:
  friend class Queue;
  explicit Handle(std::shared_future<TensorResult> future) : future_(std::move(future)) {}
  std::shared_future<TensorResult> future_;
};

struct AttentionOptions {
  std::optional<double> scale = std::nullopt;  // of scores; none: 1 / sqrt(width of a head)
};

// Results do not depend on what else is in the queue, nor on threads.
class Queue {
 public:
  // `device` must outlive the queue, which alone uses it from now on.
  explicit Queue(Device& device);
  // Finishes the work that was handed in.
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // [m, k] x [k, n].
  Handle matmul(Tensor a, Tensor b, Type type = Type::bf16);
  // Softmax of each row.
  Handle softmax(Tensor x);
  // Normalisation of each row to mean 0 and variance 1, without gamma and beta, which belong in
  // what follows.
  Handle layer_norm(Tensor x);
  Handle gelu(Tensor x);
  // softmax(scale q k^T) v: [queries, width], [keys, width], [keys, width], or each [heads, ...].
  Handle attention(Tensor q, Tensor k, Tensor v, AttentionOptions options = {});

  // Bytes of buffers on the device, for operations handed in from now on: they are cut into calls
  // that take no more, or refused with the least limit that would do. None: no limit.
  void set_memory_limit(std::optional<std::size_t> bytes) { memory_limit_ = bytes; }

 private:
  using Work = std::function<Tensor(const ArrayRun&, TensorReport&)>;
  using RowWork = Tensor(const ArrayRun&, const Tensor&, TensorReport&);
  // `operation` names the call and its sizes; `fault` is what is wrong with them, else empty.
  Handle submit(std::string operation, std::string fault, Work work);
  Handle submit_rows(const std::string& name, Tensor x, RowWork* work);
  void run_all();
  TensorResult run(const std::string& operation, std::optional<std::size_t> limit,
                   const Work& work);

  Device& device_;
  ProgramCache programs_;
  std::optional<std::size_t> memory_limit_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<std::packaged_task<TensorResult()>> waiting_;
  bool is_closing_ = false;
  std::thread worker_;  // last: it uses all of the above
};

}  // namespace wnpu::npu::ops
