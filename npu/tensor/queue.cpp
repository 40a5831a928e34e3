#include "npu/tensor/queue.h"

#include <chrono>
#include <cmath>
#include <string>
#include <utility>

#include "npu/tensor/operations.h"

namespace wnpu::npu::ops {
namespace {

using Clock = std::chrono::steady_clock;

// Error in a tensor's own shape or values.
std::string fault_of(const char* name, const Tensor& x, std::size_t least, std::size_t most) {
  const std::string expected = std::string(name) + ": expected ";
  if (x.shape.size() < least || x.shape.size() > most) {
    std::string sizes = std::to_string(least);
    if (most > least) sizes += " to " + std::to_string(most);
    return expected + sizes + " dimensions, found " + std::to_string(x.shape.size());
  }
  std::size_t left = x.values.size();  // divided by the sizes, so that no product overflows
  bool is_whole = left > 0;
  for (const std::size_t size : x.shape) {
    if (size == 0) return expected + "sizes of at least 1, found " + shape_text(x.shape);
    is_whole = is_whole && left % size == 0;
    left /= size;
  }
  if (is_whole && left == 1) return "";
  return expected + "as many values as " + shape_text(x.shape) + " has, found " +
         std::to_string(x.values.size());
}

std::string product_fault(const Tensor& a, const Tensor& b) {
  std::string fault = fault_of("a", a, 2, 2);
  if (fault.empty()) fault = fault_of("b", b, 2, 2);
  if (!fault.empty() || columns_of(a) == b.shape[0]) return fault;
  return "b: expected " + std::to_string(columns_of(a)) +
         " rows, as many as a has columns, found " + std::to_string(b.shape[0]);
}

std::string attention_fault(const Tensor& q, const Tensor& k, const Tensor& v) {
  std::string fault = fault_of("q", q, 2, 3);
  if (fault.empty()) fault = fault_of("k", k, 2, 3);
  if (fault.empty()) fault = fault_of("v", v, 2, 3);
  if (!fault.empty()) return fault;
  const bool has_heads = q.shape.size() == 3;
  if (k.shape.size() != q.shape.size() || (has_heads && k.shape[0] != q.shape[0]) ||
      columns_of(k) != columns_of(q)) {
    return "k: expected the heads and width of q, found " + shape_text(k.shape);
  }
  if (v.shape != k.shape) {
    return "v: expected " + shape_text(k.shape) + " as k, found " + shape_text(v.shape);
  }
  return "";
}

// "softmax [2, 3]".
std::string named(const std::string& name, const Tensor& x) {
  return name + " " + shape_text(x.shape);
}

constexpr std::size_t kMostDimensions = 32;  // NumPy's own limit was that

}  // namespace

bool Handle::ready() const {
  return future_.wait_for(std::chrono::seconds(0)) == std::future_status::ready;
}

Queue::Queue(Device& device) : device_(device), programs_(device), worker_([this] { run_all(); }) {}

Queue::~Queue() {
  {
    const std::scoped_lock lock(mutex_);
    is_closing_ = true;
  }
  changed_.notify_one();
  worker_.join();
}

void Queue::run_all() {
  while (true) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return is_closing_ || !waiting_.empty(); });
    if (waiting_.empty()) return;
    std::packaged_task<TensorResult()> task = std::move(waiting_.front());
    waiting_.pop_front();
    lock.unlock();
    task();
  }
}

TensorResult Queue::run(const std::string& operation, std::optional<std::size_t> limit,
                        const Work& work) {
  const Clock::time_point begin = Clock::now();
  TensorResult result;
  TensorReport& report = result.report;
  report.operation = operation;
  report.device = device_.description();
  report.is_simulated = device_.is_simulated();
  try {
    result.value = work({device_, programs_, limit}, report);
  } catch (const DeviceError& error) {
    const std::string what = error.what();
    throw DeviceError(what.starts_with(operation) ? what : operation + ": " + what);
  }
  report.wall_ms = std::chrono::duration<double, std::milli>(Clock::now() - begin).count();
  return result;
}

Handle Queue::submit(std::string operation, std::string fault, Work work) {
  std::packaged_task<TensorResult()> task([this, operation = std::move(operation),
                                           fault = std::move(fault), limit = memory_limit_,
                                           work = std::move(work)] {
    if (!fault.empty()) throw TensorError(operation + ": " + fault);
    return run(operation, limit, work);
  });
  Handle handle(task.get_future().share());
  {
    const std::scoped_lock lock(mutex_);
    waiting_.push_back(std::move(task));
  }
  changed_.notify_one();
  return handle;
}

Handle Queue::matmul(Tensor a, Tensor b, Type type) {
  std::string operation = "matmul " + std::string(type_name(type)) + " " + shape_text(a.shape);
  operation += " x " + shape_text(b.shape);
  std::string fault = product_fault(a, b);
  return submit(
      std::move(operation), std::move(fault),
      [a = std::move(a), b = std::move(b), type](const ArrayRun& run, TensorReport& report) {
        return run_product(run, a, b, type, report);
      });
}

Handle Queue::submit_rows(const std::string& name, Tensor x, RowWork* work) {
  std::string operation = named(name, x);
  std::string fault = fault_of("x", x, 1, kMostDimensions);
  return submit(std::move(operation), std::move(fault),
                [x = std::move(x), work](const ArrayRun& run, TensorReport& report) {
                  return work(run, x, report);
                });
}

Handle Queue::softmax(Tensor x) { return submit_rows("softmax", std::move(x), run_softmax); }

Handle Queue::layer_norm(Tensor x) {
  return submit_rows("layer_norm", std::move(x), run_layer_norm);
}

Handle Queue::gelu(Tensor x) { return submit_rows("gelu", std::move(x), run_gelu); }

Handle Queue::attention(Tensor q, Tensor k, Tensor v, AttentionOptions options) {
  std::string operation = named("attention", q);
  operation += " to " + shape_text(k.shape);
  std::string fault = attention_fault(q, k, v);
  if (fault.empty() && options.scale && !std::isfinite(*options.scale)) {
    fault = "scale: expected a finite number, found " + std::to_string(*options.scale);
  }
  return submit(std::move(operation), std::move(fault),
                [q = std::move(q), k = std::move(k), v = std::move(v), options](
                    const ArrayRun& run, TensorReport& report) {
                  const double usual = 1 / std::sqrt(static_cast<double>(columns_of(q)));
                  return run_attention(run, {q, k, v, options.scale.value_or(usual)}, report);
                });
}

}  // namespace wnpu::npu::ops
