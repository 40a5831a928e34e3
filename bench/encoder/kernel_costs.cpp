#include "bench/encoder/kernel_costs.h"

namespace wnpu::bench {
namespace {

double product(std::size_t a, std::size_t b) {
  return static_cast<double>(a) * static_cast<double>(b);
}

}  // namespace

KernelCost norm_cost(std::size_t rows, std::size_t width, std::size_t element_bytes) {
  const double values = product(rows, width);
  return {8 * values,
          (2 * values + 2 * static_cast<double>(width)) * static_cast<double>(element_bytes)};
}

KernelCost softmax_cost(std::size_t values, std::size_t element_bytes) {
  return {5 * static_cast<double>(values), 2 * product(values, element_bytes)};
}

KernelCost gelu_cost(std::size_t values, std::size_t element_bytes) {
  return {5 * static_cast<double>(values), 2 * product(values, element_bytes)};
}

KernelCost matmul_cost(std::size_t m, std::size_t k, std::size_t n, std::size_t element_bytes) {
  return {2 * product(m, k) * static_cast<double>(n),
          (product(m, k) + product(k, n) + product(m, n)) * static_cast<double>(element_bytes)};
}

KernelCost attention_cost(std::size_t queries, std::size_t frames, std::size_t width,
                          std::size_t heads, std::size_t element_bytes) {
  const double scores = product(queries, frames);
  return {
      2 * 2 * scores * static_cast<double>(width) + 5 * scores * static_cast<double>(heads),
      2 * (product(queries, width) + product(frames, width)) * static_cast<double>(element_bytes)};
}

}  // namespace wnpu::bench
