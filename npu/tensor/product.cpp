#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "npu/core/core_memory.h"
#include "npu/tensor/operands.h"
#include "npu/tensor/operations.h"
#include "npu/tensor/product_cut.h"
#include "npu/tensor/tiles.h"

namespace wnpu::npu::ops {
namespace {

std::string key_of(const GemmProblem& p) {
  std::string key = "product";
  for (const std::size_t size : {p.m, p.k, p.n, p.tile_m, p.tile_k, p.tile_n}) {
    key += " " + std::to_string(size);
  }
  return key + (p.is_int8 ? " int8" : " bf16") + (p.has_residual ? " + x" : "");
}

// Rows, depth or columns of one call.
struct PaddedRange {
  std::size_t first = 0;
  std::size_t count = 0;   // that mean something
  std::size_t padded = 0;  // a multiple of the tiles
};

PaddedRange part_of(std::size_t index, std::size_t most, std::size_t size, std::size_t unit) {
  const std::size_t first = index * most;
  const std::size_t count = std::min(most, size - first);
  return {first, count, round_up(count, unit)};
}

// One call: which part of the product, by which tiles.
struct ProductPart {
  GemmProblem problem;
  PaddedRange m, k, n;
};

// Left operand: panels of tile_m rows, tiles of 4x8 blocks; int8: a panel's scales behind it.
template <typename T>
void fill_a(const ProductOperand<T>& a, const ProductPart& part, std::span<std::byte> bytes) {
  const GemmProblem& p = part.problem;
  const std::size_t scale_bytes = p.is_int8 ? p.tile_m * sizeof(float) : 0;
  const std::size_t panel_bytes = p.tile_m * p.k * sizeof(T) + scale_bytes;
  const BlockOrder order{p.tile_k, 4, 8};
  std::ranges::fill(bytes, std::byte{0});
  for (std::size_t r = 0; r < part.m.count; ++r) {
    const std::span<std::byte> panel = bytes.subspan(r / p.tile_m * panel_bytes, panel_bytes);
    const T* row = &a.values[(part.m.first + r) * a.columns + part.k.first];
    for (std::size_t c = 0; c < part.k.count; ++c) {
      const std::size_t tile = c / p.tile_k * p.tile_m * p.tile_k;
      put(panel, tile + order.place(r % p.tile_m, c % p.tile_k), row[c]);
    }
    if (!p.is_int8) continue;
    put(panel.last(scale_bytes), r % p.tile_m, a.scales[part.m.first + r]);
  }
}

// Right operand: columns of tiles in 8x4 or 8x8 blocks, in turn for each column of cores, an
// element of bias and scales before each. bf16 has the scale 1, which nothing reads.
template <typename T>
void fill_b(const ProductOperand<T>& b, const ProductPart& part, std::span<std::byte> bytes) {
  const GemmProblem& p = part.problem;
  const std::size_t tile = p.tile_k * p.tile_n;
  const std::size_t block = (p.k / p.tile_k + 1) * tile;
  const BlockOrder order{p.tile_n, 8, p.is_int8 ? std::size_t{8} : std::size_t{4}};
  std::ranges::fill(bytes, std::byte{0});
  for (std::size_t r = 0; r < part.k.count; ++r) {
    const T* row = &b.values[(part.k.first + r) * b.columns + part.n.first];
    const std::size_t of_row = (1 + r / p.tile_k) * tile;
    for (std::size_t c = 0; c < part.n.count; ++c) {
      put(bytes, c / p.tile_n * block + of_row + order.place(r % p.tile_k, c % p.tile_n), row[c]);
    }
  }
  if (!p.is_int8) return;
  for (std::size_t c = 0; c < part.n.count; ++c) {
    put(bytes.subspan(c / p.tile_n * block * sizeof(T)), kParameterFloats + c % p.tile_n,
        b.scales[part.n.first + c]);
  }
}

// Place of a result in panels of tiles of 4x4 blocks.
std::size_t place_of_result(const GemmProblem& p, std::size_t row, std::size_t column) {
  const std::size_t tile = row / p.tile_m * (p.n / p.tile_n) + column / p.tile_n;
  return tile * p.tile_m * p.tile_n +
         BlockOrder{p.tile_n, 4, 4}.place(row % p.tile_m, column % p.tile_n);
}

// c += what the array made, times 2^exponent.
void add_result(const ProductPart& part, int exponent, std::span<const std::byte> bytes,
                Tensor& c) {
  for (std::size_t row = 0; row < part.m.count; ++row) {
    float* to = &c.values[(part.m.first + row) * columns_of(c) + part.n.first];
    for (std::size_t column = 0; column < part.n.count; ++column) {
      const auto value = get<bfloat16>(bytes, place_of_result(part.problem, row, column));
      to[column] += exponent == 0 ? to_float(value) : std::ldexp(to_float(value), exponent);
    }
  }
}

template <typename T>
struct Factors {
  const ProductOperand<T>& a;
  const ProductOperand<T>& b;
};

using Int8Factors = Factors<std::int8_t>;

// Adds the calls of c += a b to the work; factors and c must outlive its run.
template <typename T>
class ProductWork {
 public:
  ProductWork(const Target& target, const ProductCut& cut, Factors<T> factors, Tensor& c)
      : target_(target), cut_(cut), f_(factors), c_(c) {}

  void add_to(ArrayWork& work) {
    for (std::size_t i = 0; i < cut_.m_parts(); ++i) {
      for (std::size_t l = 0; l < cut_.k_parts(); ++l) add_row_of_calls(work, i, l);
    }
  }

 private:
  // All columns of a block of rows, which is sent once.
  void add_row_of_calls(ArrayWork& work, std::size_t i, std::size_t l) {
    std::optional<std::size_t> a;
    for (std::size_t j = 0; j < cut_.n_parts(); ++j) {
      const auto part = std::make_shared<const ProductPart>(call_part(i, l, j));
      const ProductBytes bytes = bytes_of(part->problem);
      const bool is_new = !a;
      if (is_new) a = work.add_use("a", bytes.a, 0);
      const std::size_t b = work.add_use("b", bytes.b, 1);
      const std::size_t c = work.add_use("c", bytes.c, 2);
      add_calls(work, part, {*a, b, c, is_new});
    }
  }

  struct Uses {
    std::size_t a, b, c;
    bool is_a_new;
  };

  void add_calls(ArrayWork& work, const std::shared_ptr<const ProductPart>& part, Uses uses) {
    ProductPart plain = *part;
    plain.problem.has_residual = false;
    ArrayCall call = call_of(plain.problem);
    call.arguments = {{uses.a},
                      {uses.b, [this, part](std::span<std::byte> to) { fill_b(f_.b, *part, to); }},
                      {uses.c}};
    if (uses.is_a_new) {
      call.arguments[0].fill = [this, part](std::span<std::byte> to) { fill_a(f_.a, *part, to); };
    }
    const auto sums = std::make_shared<std::vector<std::byte>>();
    call.take = [this, part, sums](std::span<const std::byte> from) {
      add_result(*part, exponent(), from, c_);
      if (part->problem.has_residual) sums->assign(from.begin(), from.end());
    };
    work.add_call(std::move(call));
    if (part->problem.has_residual) add_residual_call(work, part, uses, sums);
  }

  // a b - (what the call before has made of it).
  void add_residual_call(ArrayWork& work, const std::shared_ptr<const ProductPart>& part, Uses uses,
                         const std::shared_ptr<std::vector<std::byte>>& sums) {
    ArrayCall call = call_of(part->problem);
    const std::size_t x = work.add_use("x", bytes_of(part->problem).c, 3);
    call.arguments = {{uses.a}, {uses.b}, {uses.c}, {x, [sums](std::span<std::byte> to) {
                                                       for (std::size_t i = 0; i < to.size() / 2;
                                                            ++i) {
                                                         auto value = get<bfloat16>(*sums, i);
                                                         value.bits ^= 0x8000u;
                                                         put(to, i, value);
                                                       }
                                                     }}};
    call.take = [this, part](std::span<const std::byte> from) {
      add_result(*part, exponent(), from, c_);
    };
    work.add_call(std::move(call));
  }

  int exponent() const { return f_.a.exponent + f_.b.exponent; }

  ArrayCall call_of(const GemmProblem& problem) const {
    ArrayCall call;
    call.key = key_of(problem);
    call.design = [&target = target_, problem] { return gemm_design(target, problem); };
    call.result = 2;
    return call;
  }

  ProductPart call_part(std::size_t i, std::size_t l, std::size_t j) const {
    const GemmProblem& most = cut_.call;
    const auto rows = static_cast<std::size_t>(target_.core_rows);
    const auto columns = static_cast<std::size_t>(target_.columns);
    ProductPart part{most, part_of(i, most.m, cut_.sizes.m, most.tile_m * rows),
                     part_of(l, most.k, cut_.sizes.k, most.tile_k),
                     part_of(j, most.n, cut_.sizes.n, most.tile_n * columns)};
    part.problem.m = part.m.padded;
    part.problem.k = part.k.padded;
    part.problem.n = part.n.padded;
    return part;
  }

  const Target& target_;
  const ProductCut& cut_;
  Factors<T> f_;
  Tensor& c_;
};

// c += the products of all pairs of factors; the first by `cut`, the others without its residual.
template <typename T>
void run_cut(const ArrayRun& run, const ProductCut& cut, std::span<const Factors<T>> factors,
             Tensor& c, TensorReport& report) {
  ProductCut plain = cut;
  plain.call.has_residual = false;
  ArrayWork work;
  std::vector<ProductWork<T>> products;
  products.reserve(factors.size());
  for (const Factors<T>& pair : factors) {
    products.emplace_back(run.device.target(), products.empty() ? cut : plain, pair, c);
    products.back().add_to(work);
  }
  run_calls(run, work, report);
}

// Error bound of a product: the registry's bounds of the kernels one after the other, and of each
// part's store.
TensorBound product_bound(const ProductCut& cut, Type type) {
  const std::size_t k = cut.call.k;
  TensorBound bound;
  bound.magnitude = "sum of |a b|";
  bound.operands = "as " + std::string(type_name(type));
  bound.absolute = static_cast<double>(cut.sizes.k) * 0x1p-125;  // no denormals
  const double stored = registered_bound("bias", {64, 64}).relative;
  bound.relative =
      stored + (type == Type::bf16 ? registered_bound("gemm_bf16", {64, k, 64}).relative
                                   : registered_bound("dequantise", {64, 64}).relative);
  if (type == Type::int16) {
    bound.has_half_step = false;
    bound.relative = 0x1p-15;
    bound.magnitude = "sum of (|a| max |b| + max |a| |b|)";
  } else if (cut.k_parts() > 1) {
    bound.has_half_step = false;
    bound.relative += 0x1p-8;
  }
  return bound;
}

void note_cut(const ProductCut& cut, TensorReport& report) {
  if (cut.k_parts() == 1) return;
  report.reason = "depth in " + std::to_string(cut.k_parts()) +
                  " parts, each part's sums rounded to bf16: other bits than in one";
}

}  // namespace

// int16: high and low bytes are four products; what bf16 has left over of the largest is made by a
// fifth.
Tensor run_product(const ArrayRun& run, const Tensor& a, const Tensor& b, Type type,
                   TensorReport& report) {
  const ProductSizes sizes{rows_of(a), columns_of(a), columns_of(b)};
  const ProductCut cut =
      cut_product(run.device.target(), sizes, {type != Type::bf16, type == Type::int16},
                  run.memory_limit, report.operation);
  report.bound = product_bound(cut, type);
  note_cut(cut, report);
  Tensor c = zeros({sizes.m, sizes.n});
  if (type == Type::bf16) {
    const Bf16Operand left = as_bf16_operand(a);
    const Bf16Operand right = as_bf16_operand(b);
    run_cut<bfloat16>(run, cut, std::array{Factors<bfloat16>{left, right}}, c, report);
    return c;
  }
  const std::int32_t levels = type == Type::int8 ? kInt8Levels : kInt16Levels;
  const Quantised left = quantise(a, Side::left, levels, report.operation + ": a");
  const Quantised right = quantise(b, Side::right, levels, report.operation + ": b");
  // Scales whose product is no normal float are lost, with sums of up to 2^31 of them.
  report.bound.absolute += std::ldexp(1.0, left.whole.exponent + right.whole.exponent - 95);
  if (type == Type::int8) {
    const Int8Operand left8 = as_int8(left);
    const Int8Operand right8 = as_int8(right);
    run_cut<std::int8_t>(run, cut, std::array{Int8Factors{left8, right8}}, c, report);
    return c;
  }
  const Halves l = split(left);
  const Halves r = split(right);
  const std::array pairs{Int8Factors{l.high, r.high}, Int8Factors{l.high, r.low},
                         Int8Factors{l.low, r.high}, Int8Factors{l.low, r.low}};
  run_cut<std::int8_t>(run, cut, pairs, c, report);
  return c;
}

}  // namespace wnpu::npu::ops
