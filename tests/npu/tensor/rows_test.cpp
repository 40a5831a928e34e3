// LayerNorm, GELU, attention and softmax of any size against fp64.
#include <algorithm>
#include <numbers>

#include <doctest/doctest.h>

#include "npu/ops/registry.h"
#include "tests/few_samples.h"
#include "tests/npu/tensor/tensor_checks.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu::ops;
using tests::Exact;
using tests::open_simulator;
using tests::random_tensor;

namespace {

constexpr std::size_t kRowCases = tests::kFewSamples ? 4 : 40;

// The registry's fp64, as it stands there.
Exact exact_of(const std::string& name, const npu::Sizes& sizes,
               const std::vector<std::vector<double>>& inputs, std::size_t n) {
  const auto op = npu::OperatorRegistry().find(name);
  Exact exact{std::vector<double>(n), std::vector<double>(n)};
  std::vector<const void*> from;
  for (const auto& input : inputs) from.push_back(input.data());
  const npu::CallArrays arrays(from, {exact.values.data()}, {exact.magnitudes.data()});
  const std::vector<double> attributes = op->attribute_values();
  op->exact(arrays.call(sizes, attributes));
  for (std::size_t i = 0; i < n; ++i) {
    exact.magnitudes[i] = std::max(exact.magnitudes[i], std::abs(exact.values[i]));
  }
  return exact;
}

// As the report says that they were taken.
std::vector<double> operands(const Tensor& x, const TensorReport& report) {
  std::vector<double> values(x.values.begin(), x.values.end());
  if (report.ran_on == "cpu") return values;
  for (double& value : values) {
    value = npu::to_float(npu::to_bfloat16(static_cast<float>(value)));
  }
  return values;
}

// Share of an operation on rows, as the registry names it.
double rows_share(const Handle& handle, const std::string& name, const Tensor& x) {
  return tests::share_of_bound(handle.result(),
                               exact_of(name, {npu::ops::rows_of(x), npu::ops::columns_of(x)},
                                        {operands(x, handle.result().report)}, x.values.size()));
}
double layer_norm_share(Queue& queue, const Tensor& x) {
  return rows_share(queue.layer_norm(x), "layer_norm", x);
}
double softmax_share(Queue& queue, const Tensor& x) {
  return rows_share(queue.softmax(x), "softmax", x);
}

double attention_share(Queue& queue, const Tensor& q, const Tensor& k, const Tensor& v) {
  const Handle handle = queue.attention(q, k, v);
  const TensorReport& report = handle.result().report;
  const std::size_t heads = q.shape.size() == 3 ? q.shape[0] : 1;
  const std::size_t queries = npu::ops::rows_of(q) / heads, keys = npu::ops::rows_of(k) / heads,
                    width = npu::ops::columns_of(q);
  Tensor scaled = q;
  const auto scale =
      static_cast<float>(std::numbers::log2e / std::sqrt(static_cast<double>(width)));
  for (float& value : scaled.values) value *= scale;
  const auto head_of = [&](const Tensor& x, std::size_t head) {
    const std::vector<double> all = operands(x, report);
    const auto size = static_cast<std::ptrdiff_t>(all.size() / heads);
    const auto first = all.begin() + static_cast<std::ptrdiff_t>(head) * size;
    return std::vector<double>(first, first + size);
  };
  Exact exact;
  for (std::size_t head = 0; head < heads; ++head) {
    const Exact one =
        exact_of("attention", {queries, keys, width},
                 {head_of(scaled, head), head_of(k, head), head_of(v, head)}, queries * width);
    exact.values.insert(exact.values.end(), one.values.begin(), one.values.end());
    exact.magnitudes.insert(exact.magnitudes.end(), one.magnitudes.begin(), one.magnitudes.end());
  }
  return tests::share_of_bound(handle.result(), exact);
}

}  // namespace

TEST_CASE("tensor layer_norm: random sizes keep the bound, each on the side that is said") {
  const auto device = open_simulator();
  Queue queue(*device);
  tests::Random random(25);
  for (std::size_t i = 0; i < kRowCases; ++i) {
    const std::size_t rows = tests::random_size(random, 300);
    const std::size_t width = tests::random_size(random, 500);
    const Tensor x = random_tensor({rows, width}, i, i % 2 == 0 ? 1 : 1000);
    const double found = layer_norm_share(queue, x);
    CHECK_MESSAGE(found <= 1, rows, "x", width, ", case ", i, ": ", found);
  }
}

TEST_CASE("tensor layer_norm: which widths a core takes, and that the others say why not") {
  const auto device = open_simulator();
  Queue queue(*device);
  for (const std::size_t width : {1U, 15U, 16U, 17U, 100U, 255U, 1020U, 4096U}) {
    const Handle norm = queue.layer_norm(random_tensor({7, width}, width));
    CHECK(norm.result().report.ran_on == "core");
    CHECK(norm.result().report.is_simulated);
    CHECK(layer_norm_share(queue, random_tensor({7, width}, width)) <= 1);
  }
  for (const std::size_t width : {257U, 4097U, 5000U}) {
    const Handle norm = queue.layer_norm(random_tensor({3, width}, width));
    CHECK(norm.result().report.ran_on == "cpu");
    CHECK(norm.result().report.calls == 0);
    CHECK(norm.result().report.reason.find("multiple of 16 up to 4096") != std::string::npos);
    CHECK(layer_norm_share(queue, random_tensor({3, width}, width)) <= 1);
  }
}

TEST_CASE("tensor gelu: random sizes and hostile values keep the bound") {
  const auto device = open_simulator();
  Queue queue(*device);
  tests::Random random(26);
  const auto share = [&](const Tensor& x) {
    const Handle handle = queue.gelu(x);
    const Exact exact = exact_of(
        "gelu", {npu::ops::rows_of(x), npu::ops::columns_of(x)},
        {operands(x, handle.result().report), std::vector<double>(npu::ops::columns_of(x))},
        x.values.size());
    return tests::share_of_bound(handle.result(), exact);
  };
  for (std::size_t i = 0; i < kRowCases; ++i) {
    const Tensor x =
        random_tensor({tests::random_size(random, 300), tests::random_size(random, 300)}, i, 10);
    CHECK(share(x) <= 1);
  }
  CHECK(share(random_tensor({1, 70000}, 3, 5)) <= 1);
  Tensor x = random_tensor({3, 50}, 4);
  const std::vector<float> hostile{0.0F, -0.0F, 1e-40F, 1e37F, -1e37F, INFINITY, -INFINITY, NAN};
  std::ranges::copy(hostile, x.values.begin() + 20);
  CHECK(share(x) <= 1);
}

TEST_CASE("tensor attention: random sizes, with heads and without, keep the bound") {
  const auto device = open_simulator();
  Queue queue(*device);
  tests::Random random(27);
  for (std::size_t i = 0; i < kRowCases; ++i) {
    const std::size_t heads = tests::random_size(random, 4);
    const std::size_t queries = tests::random_size(random, 200);
    const std::size_t keys = tests::random_size(random, 200);
    const std::size_t width = tests::random_size(random, 72);
    const bool has_heads = i % 2 == 0;
    const auto shape = [&](std::size_t rows) {
      return has_heads ? std::vector{heads, rows, width} : std::vector{rows, width};
    };
    const Tensor q = random_tensor(shape(queries), 3 * i, 2);
    const Tensor k = random_tensor(shape(keys), 3 * i + 1, 2);
    const Tensor v = random_tensor(shape(keys), 3 * i + 2, 2);
    const double found = attention_share(queue, q, k, v);
    CHECK_MESSAGE(found <= 1, heads, " heads, ", queries, " to ", keys, " by ", width, ", case ", i,
                  ": ", found);
    CHECK((queue.attention(q, k, v).result().report.ran_on == "core") == (width <= 64));
  }
}

TEST_CASE("tensor attention: cut by a memory limit it has the same bits") {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor q = random_tensor({3, 1600, 20}, 1);
  const Tensor k = random_tensor({3, 100, 20}, 2);
  const Tensor v = random_tensor({3, 100, 20}, 3);
  const Handle whole = queue.attention(q, k, v);
  queue.set_memory_limit(whole.result().report.memory_bytes / 5);
  const Handle cut = queue.attention(q, k, v);
  CHECK(cut.result().report.calls > whole.result().report.calls);
  CHECK(cut.result().report.memory_bytes <= whole.result().report.memory_bytes / 5);
  CHECK(cut.result().value.values == whole.result().value.values);
  queue.set_memory_limit(100);
  CHECK_THROWS_AS(queue.attention(q, k, v).result(), npu::DeviceError);
}

TEST_CASE("tensor rows: cut by a memory limit they have the same bits") {
  const auto device = open_simulator();
  Queue queue(*device);
  const Tensor x = random_tensor({500, 200}, 1);
  const Handle norm = queue.layer_norm(x);
  const Handle gelu = queue.gelu(x);
  queue.set_memory_limit(270'000);
  const Handle cut_norm = queue.layer_norm(x);
  const Handle cut_gelu = queue.gelu(x);
  CHECK(cut_norm.result().value.values == norm.result().value.values);
  CHECK(cut_gelu.result().value.values == gelu.result().value.values);
  for (const Handle& cut : {cut_norm, cut_gelu}) {
    CHECK(cut.result().report.memory_bytes <= 270'000);
    CHECK(cut.result().report.calls > 1);
  }
}

TEST_CASE("tensor softmax: narrow rows are attention, wide ones the CPU's, and both say so") {
  const auto device = open_simulator();
  Queue queue(*device);
  tests::Random random(28);
  for (std::size_t i = 0; i < kRowCases; ++i) {
    const std::size_t rows = tests::random_size(random, 300);
    const std::size_t width = tests::random_size(random, 60);
    const Tensor x = random_tensor({rows, width}, i, i % 3 == 0 ? 100 : 3);
    const double found = softmax_share(queue, x);
    CHECK_MESSAGE(found <= 1, rows, "x", width, ", case ", i, ": ", found);
    const Handle handle = queue.softmax(x);
    const TensorReport& report = handle.result().report;
    CHECK((report.ran_on == "core") == (width <= 32));
    CHECK(report.reason.find("no core has a softmax by itself") == 0);
  }
  CHECK(softmax_share(queue, random_tensor({3, 5000}, 9, 20)) <= 1);
  Tensor x = random_tensor({3, 10}, 10);
  x.values[4] = -INFINITY;  // a weight of zero, as masks have it
  x.values[17] = NAN;
  x.values[25] = INFINITY;
  CHECK(softmax_share(queue, x) <= 1);
  CHECK(queue.softmax(x).result().report.ran_on == "cpu");
}
