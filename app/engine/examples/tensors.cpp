// tensors [DEVICE]: a product and its softmax on an NPU, or on a simulated one ("sim"), without a
// model.
#include <cstddef>
#include <iostream>
#include <string>
#include <utility>
#include <vector>
#include <whisper_npu_tensor.hpp>

namespace {

// rows x columns, the value at [r, c] as f gives it.
template <typename F>
wnpu::Tensor matrix(std::size_t rows, std::size_t columns, const F& f) {
  wnpu::Tensor tensor{{rows, columns}, {}};
  for (std::size_t r = 0; r < rows; ++r) {
    for (std::size_t c = 0; c < columns; ++c) tensor.values.push_back(f(r, c));
  }
  return tensor;
}

void print(const wnpu::TensorResult& result) {
  std::cout << result.report.operation << " on " << result.report.ran_on
            << (result.report.is_simulated ? ", simulated:" : ":");
  for (const float value : result.value.values) std::cout << ' ' << value;
  std::cout << '\n';
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv, argv + argc);
  try {
    for (const wnpu::NpuNode& node : wnpu::npu_nodes()) {
      std::cout << node.name << ": " << (node.usable ? "usable" : node.reason) << '\n';
    }
    wnpu::TensorDevice device(arguments.size() > 1 ? arguments[1] : "npu");
    device.set_memory_limit(64 << 20);
    const wnpu::Tensor a = matrix(2, 4, [](auto r, auto c) { return float(r + c); });
    const wnpu::Tensor identity = matrix(4, 4, [](auto r, auto c) { return r == c ? 1.F : 0.F; });
    const wnpu::TensorHandle product = device.matmul(a, identity);
    const wnpu::TensorHandle weights = device.softmax(a);  // beside the product
    print(product.result());
    print(weights.result());
  } catch (const wnpu::Error& error) {
    std::cerr << "tensors: " << error.what() << '\n';
    return static_cast<int>(error.code());
  }
}
