#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

#include "npu/core/core_memory.h"
#include "npu/tensor/core_designs.h"
#include "npu/tensor/operations.h"
#include "npu/tensor/tiles.h"

namespace wnpu::npu::ops {
namespace {

constexpr std::size_t kNormStep = 16;  // kernel/tile_shapes.h RowsShape
constexpr std::size_t kGeluStep = 4 * kParameterFloats;
constexpr std::size_t kMostValues = kElementBytes / 2;  // of an element, in bf16

// Rows of one width, several an element.
struct RowsCut {
  PhaseHeader phase;        // of the largest call
  std::size_t width = 0;    // of the tensor's row
  std::size_t repeats = 1;  // of a row within the element's
  std::size_t elements = 0;
};

// The most elements a core does in a call, by the phase's header and the memory limit.
void limit_outer(const ArrayRun& run, RowsCut& cut, const std::string& work) {
  const Target& target = run.device.target();
  PhaseHeader& p = cut.phase;
  p.outer = 1;
  const std::size_t of_one = elements_of_call(target, p);
  p.outer = u32(std::min(div_up(cut.elements, of_one), kMostOuter));
  const std::size_t bytes = of_one * p.m * p.k * 2 * 2;  // input and output
  require_memory(run.memory_limit, bytes, work);
  if (run.memory_limit) p.outer = u32(std::min<std::size_t>(p.outer, *run.memory_limit / bytes));
}

// Values of elements from `first` on.
void fill(const Tensor& x, const RowsCut& cut, std::size_t first, std::span<std::byte> bytes) {
  const std::size_t row_values = cut.phase.k;
  const std::size_t rows = bytes.size() / 2 / row_values;
  std::ranges::fill(bytes, std::byte{0});
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t begin = (first * cut.phase.m + r) * cut.width;
    if (begin >= x.values.size()) return;
    const std::size_t count = std::min(cut.width, x.values.size() - begin);
    for (std::size_t i = 0; i < cut.repeats * count; ++i) {
      put(bytes, r * row_values + i, to_bfloat16(x.values[begin + i % count]));
    }
  }
}

void take(std::span<const std::byte> bytes, const RowsCut& cut, std::size_t first, Tensor& y) {
  const std::size_t row_values = cut.phase.k;
  const std::size_t rows = bytes.size() / 2 / row_values;
  for (std::size_t r = 0; r < rows; ++r) {
    const std::size_t begin = (first * cut.phase.m + r) * cut.width;
    if (begin >= y.values.size()) return;
    const std::size_t count = std::min(cut.width, y.values.size() - begin);
    for (std::size_t i = 0; i < count; ++i) {
      y.values[begin + i] = to_float(get<bfloat16>(bytes, r * row_values + i));
    }
  }
}

ArrayCall rows_call(const Target& target, const PhaseHeader& phase) {
  ArrayCall call;
  call.key = std::string(phase.kernel == Kernel::gelu ? "gelu" : "layer norm");
  for (const std::uint32_t size : {phase.outer, phase.m, phase.k}) {
    call.key += " " + std::to_string(size);
  }
  call.design = [&target, phase] { return elements_design(target, phase); };
  call.result = 1;
  return call;
}

Tensor run_rows(const ArrayRun& run, const Tensor& x, RowsCut cut, TensorReport& report) {
  limit_outer(run, cut, report.operation);
  const Target& target = run.device.target();
  Tensor y = zeros(x.shape);
  ArrayWork work;
  PhaseHeader one = cut.phase;
  one.outer = 1;
  const std::size_t of_one = elements_of_call(target, one);
  for (std::size_t first = 0; first < cut.elements;) {
    PhaseHeader phase = cut.phase;
    phase.outer = std::min(phase.outer, u32(div_up(cut.elements - first, of_one)));
    const std::size_t elements = elements_of_call(target, phase);
    const std::size_t bytes = elements * phase.m * phase.k * 2;
    ArrayCall call = rows_call(target, phase);
    const std::size_t input = work.add_use("input", bytes, 0);
    const std::size_t output = work.add_use("output", bytes, 1);
    call.arguments = {
        {input, [&x, cut, first](std::span<std::byte> to) { fill(x, cut, first, to); }}, {output}};
    call.take = [&y, cut, first](std::span<const std::byte> from) { take(from, cut, first, y); };
    work.add_call(std::move(call));
    first += elements;
  }
  run_calls(run, work, report);
  return y;
}

void take_bound(const std::string& name, const Sizes& sizes, TensorReport& report) {
  const ErrorBound bound = registered_bound(name, sizes);
  report.bound.absolute = bound.absolute;
  report.bound.relative = bound.relative;
  report.bound.operands = "as bf16";
}

}  // namespace

Tensor run_layer_norm(const ArrayRun& run, const Tensor& x, TensorReport& report) {
  const std::size_t rows = rows_of(x), width = columns_of(x);
  report.bound.magnitude = "largest |x| / deviation of the row";
  RowsCut cut{{.kernel = Kernel::layer_norm}, width, kNormStep / std::gcd(kNormStep, width), 0};
  const std::size_t core_width = width * cut.repeats;
  if (core_width > kMostValues) {
    report.reason = "a core's LayerNorm takes rows of a multiple of 16 up to " +
                    std::to_string(kMostValues) + ", this one would be of " +
                    std::to_string(core_width);
    Tensor y = zeros(x.shape);
    run_reference("layer_norm", {rows, width}, {x.values.data()}, y, report);
    return y;
  }
  take_bound("layer_norm", {rows, width}, report);
  PhaseHeader one{.outer = 1};
  const std::size_t cores = elements_of_call(run.device.target(), one);
  cut.phase.k = u32(core_width);
  cut.phase.m = u32(std::min({kMostValues / core_width, kMaxTileRows, div_up(rows, cores)}));
  cut.elements = div_up(rows, cut.phase.m);
  return run_rows(run, x, cut, report);
}

Tensor run_gelu(const ArrayRun& run, const Tensor& x, TensorReport& report) {
  report.bound.magnitude = "|result|";
  take_bound("gelu", {kMaxTileRows, kParameterFloats}, report);
  PhaseHeader one{.outer = 1};
  const std::size_t cores = elements_of_call(run.device.target(), one);
  RowsCut cut{{.kernel = Kernel::gelu, .m = 1}, 0, 1, 0};
  cut.width = std::min(kMostValues, round_up(div_up(x.values.size(), cores), kGeluStep));
  cut.phase.k = u32(cut.width);
  cut.elements = div_up(x.values.size(), cut.width);
  return run_rows(run, x, cut, report);
}

}  // namespace wnpu::npu::ops
