#include <algorithm>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "npu/core/core_memory.h"
#include "npu/kernel/tile_shapes.h"
#include "npu/tensor/core_designs.h"
#include "npu/tensor/operations.h"
#include "npu/tensor/tiles.h"

namespace wnpu::npu::ops {
namespace {

constexpr std::size_t kStep = 8;      // of queries and head width (kernel/tile_shapes.h)
constexpr std::size_t kKeyStep = 16;  // of a block of keys
// Weights are no less than 2^-64 of one that the row's largest is at most 2 below
// (kernel/tile_exp2.h), and their sum at least as much as that.
constexpr double kLeastWeight = 0x1p-62;

// All heads' numbers, row-major: q as scores in powers of two want it.
struct Heads {
  std::size_t heads = 0, queries = 0, keys = 0, width = 0;
  std::vector<float> q, k, v;
};

// Queries of a head in one call, and heads of a call.
struct HeadCut {
  AttendPhase most;         // of the largest call
  std::size_t queries = 0;  // of a head, that a call does
  std::size_t heads = 0;    // of a call
};

struct AttendBytes {
  std::size_t queries = 0, keys = 0;
  std::size_t all() const { return 2 * queries + keys; }  // the output is as long as the queries
};
AttendBytes attend_bytes(const Target& target, const AttendPhase& a) {
  const std::size_t head = std::size_t{a.phase.inner} * a.phase.n * a.phase.k * 4;
  return {elements_of_call(target, a.phase) * a.phase.m * a.phase.k * 2,
          a.phase.outer / a.waves * head};
}

std::size_t cores_of(const Target& target) {
  return elements_of_call(target, PhaseHeader{.outer = 1});
}

// Heads first, then waves of queries: neither changes a bit.
HeadCut cut_heads(const ArrayRun& run, const Heads& h, const std::string& work) {
  const Target& target = run.device.target();
  const std::size_t cores = cores_of(target);
  HeadCut cut;
  PhaseHeader& p = cut.most.phase;
  p.kernel = Kernel::attention;
  p.k = u32(round_up(h.width, kStep));
  p.m = u32(std::min(kMaxQueries, round_up(div_up(h.queries, cores), kStep)));
  const std::size_t room = kElementBytes / (std::size_t{4} * p.k) / kKeyStep * kKeyStep;
  p.n = u32(std::min({kernel::kMaxKeys, room, round_up(h.keys, kKeyStep)}));
  p.inner = u32(div_up(h.keys, p.n));
  p.valid = u32(h.keys);
  cut.most.waves = std::min(div_up(h.queries, p.m * cores), kMostOuter);
  cut.heads = std::min(h.heads, kMostOuter / cut.most.waves);
  const auto bytes = [&] {
    p.outer = u32(cut.most.waves * cut.heads);
    return attend_bytes(target, cut.most).all();
  };
  while (run.memory_limit && bytes() > *run.memory_limit) {
    if (cut.heads > 1) {
      cut.heads = div_up(cut.heads, 2);
    } else if (cut.most.waves > 1) {
      cut.most.waves = div_up(cut.most.waves, 2);
    } else {
      break;
    }
  }
  require_memory(run.memory_limit, bytes(), work);
  cut.queries = cut.most.waves * p.m * cores;
  return cut;
}

// Heads and queries that a call does.
struct AttendPart {
  AttendPhase attend;
  std::size_t first_head = 0, heads = 0, first_query = 0, queries = 0;
};

// One query: where its row lies among all, its element in the call, and its row in that.
struct Query {
  std::size_t row, base, in_element;
};
Query query_of(const Heads& h, const AttendPart& part, std::size_t cores, std::size_t i) {
  const PhaseHeader& p = part.attend.phase;
  const std::size_t head = i / part.queries, q = i % part.queries;
  const std::size_t element = head * part.attend.waves * cores + q / p.m;
  return {(part.first_head + head) * h.queries + part.first_query + q, element * p.m * p.k,
          q % p.m};
}

void fill_queries(const Heads& h, const AttendPart& part, std::size_t cores,
                  std::span<std::byte> bytes) {
  const BlockOrder order{part.attend.phase.k, 4, 8};
  std::ranges::fill(bytes, std::byte{0});
  for (std::size_t i = 0; i < part.heads * part.queries; ++i) {
    const auto [row, base, in_element] = query_of(h, part, cores, i);
    for (std::size_t c = 0; c < h.width; ++c) {
      put(bytes, base + order.place(in_element, c), to_bfloat16(h.q[row * h.width + c]));
    }
  }
}

// Blocks of keys in 4x8 tiles, values in 8x4 tiles behind them; values of padding are zero.
void fill_keys(const Heads& h, const AttendPart& part, std::span<std::byte> bytes) {
  const PhaseHeader& p = part.attend.phase;
  const BlockOrder as_keys{p.k, 4, 8};
  const BlockOrder as_values{p.k, 8, 4};
  const std::size_t half = std::size_t{p.n} * p.k;
  std::ranges::fill(bytes, std::byte{0});
  for (std::size_t i = 0; i < part.heads * h.keys; ++i) {
    const std::size_t head = i / h.keys, key = i % h.keys;
    const std::size_t row = ((part.first_head + head) * h.keys + key) * h.width;
    const std::size_t block = (head * p.inner + key / p.n) * 2 * half;
    for (std::size_t c = 0; c < h.width; ++c) {
      put(bytes, block + as_keys.place(key % p.n, c), to_bfloat16(h.k[row + c]));
      put(bytes, block + half + as_values.place(key % p.n, c), to_bfloat16(h.v[row + c]));
    }
  }
}

void take_result(std::span<const std::byte> bytes, const Heads& h, const AttendPart& part,
                 std::size_t cores, std::vector<float>& y) {
  const BlockOrder order{part.attend.phase.k, 4, 4};
  for (std::size_t i = 0; i < part.heads * part.queries; ++i) {
    const auto [row, base, in_element] = query_of(h, part, cores, i);
    for (std::size_t c = 0; c < h.width; ++c) {
      y[row * h.width + c] = to_float(get<bfloat16>(bytes, base + order.place(in_element, c)));
    }
  }
}

ArrayCall call_of(const Target& target, const AttendPhase& attend) {
  ArrayCall call;
  const PhaseHeader& p = attend.phase;
  call.key = "attention " + std::to_string(attend.waves);
  for (const std::uint32_t size : {p.outer, p.inner, p.m, p.k, p.n, p.valid}) {
    call.key += " " + std::to_string(size);
  }
  call.design = [&target, attend] { return attention_design(target, attend); };
  call.result = 1;
  return call;
}

class AttentionWork {
 public:
  AttentionWork(const Target& target, const Heads& heads, const HeadCut& cut, std::vector<float>& y)
      : target_(target), h_(heads), cut_(cut), y_(y), cores_(cores_of(target)) {}

  ArrayWork work() {
    for (std::size_t head = 0; head < h_.heads; head += cut_.heads) {
      std::optional<std::size_t> keys;
      for (std::size_t q = 0; q < h_.queries; q += cut_.queries) add(head, q, keys);
    }
    return std::move(work_);
  }

 private:
  // `keys`: the use that has those of these heads; none: they are to be sent.
  void add(std::size_t head, std::size_t query, std::optional<std::size_t>& keys) {
    AttendPart part{cut_.most, head, std::min(cut_.heads, h_.heads - head), query,
                    std::min(cut_.queries, h_.queries - query)};
    part.attend.waves = div_up(part.queries, part.attend.phase.m * cores_);
    part.attend.phase.outer = u32(part.attend.waves * part.heads);
    const AttendBytes bytes = attend_bytes(target_, part.attend);
    ArrayCall call = call_of(target_, part.attend);
    const std::size_t queries = work_.add_use("queries", bytes.queries, 0);
    const std::size_t output = work_.add_use("output", bytes.queries, 1);
    const bool is_new = !keys;
    if (is_new) keys = work_.add_use("keys and values", bytes.keys, 2);
    call.arguments = {
        {queries, [this, part](std::span<std::byte> to) { fill_queries(h_, part, cores_, to); }},
        {output},
        {*keys}};
    if (is_new) {
      call.arguments[2].fill = [this, part](std::span<std::byte> to) { fill_keys(h_, part, to); };
    }
    call.take = [this, part](std::span<const std::byte> from) {
      take_result(from, h_, part, cores_, y_);
    };
    work_.add_call(std::move(call));
  }

  const Target& target_;
  const Heads& h_;
  const HeadCut& cut_;
  std::vector<float>& y_;
  std::size_t cores_;
  ArrayWork work_;
};

void attend(const ArrayRun& run, const Heads& heads, std::vector<float>& y, TensorReport& report) {
  const HeadCut cut = cut_heads(run, heads, report.operation);
  AttentionWork calls(run.device.target(), heads, cut, y);
  run_calls(run, calls.work(), report);
  const ErrorBound bound = registered_bound("attention", {kStep, kKeyStep, kStep});
  float largest = 0;
  for (const float value : heads.v) largest = std::max(largest, std::abs(value));
  report.bound.absolute =
      bound.absolute + 0x1p-126 + kLeastWeight * static_cast<double>(heads.keys) * largest;
  report.bound.relative = bound.relative;
}

Heads heads_of(const AttentionInputs& in) {
  Heads h;
  h.heads = in.q.shape.size() == 3 ? in.q.shape[0] : 1;
  h.queries = rows_of(in.q) / h.heads;
  h.keys = rows_of(in.k) / h.heads;
  h.width = columns_of(in.q);
  h.q = in.q.values;
  h.k = in.k.values;
  h.v = in.v.values;
  const auto scale = static_cast<float>(in.scale * std::numbers::log2e);
  for (float& value : h.q) value *= scale;
  return h;
}

std::string why_not_on_cores(const Heads& h) {
  if (h.width > kMaxTileRows) {
    return "a core's attention takes heads of up to " + std::to_string(kMaxTileRows) +
           ", this one is of " + std::to_string(h.width);
  }
  if (h.keys > kMostInHeader) {
    return "a phase of attention counts up to " + std::to_string(kMostInHeader) +
           " keys, here are " + std::to_string(h.keys);
  }
  return "";
}

void attend_on_cpu(const Heads& h, Tensor& y, TensorReport& report) {
  const Tensor whole = std::move(y);
  Tensor head = zeros({h.queries, h.width});
  y = zeros(whole.shape);
  for (std::size_t i = 0; i < h.heads; ++i) {
    run_reference(
        "attention", {h.queries, h.keys, h.width},
        {&h.q[i * h.queries * h.width], &h.k[i * h.keys * h.width], &h.v[i * h.keys * h.width]},
        head, report);
    std::ranges::copy(head.values,
                      y.values.begin() + static_cast<std::ptrdiff_t>(i * h.queries * h.width));
  }
}

}  // namespace

Tensor run_attention(const ArrayRun& run, const AttentionInputs& inputs, TensorReport& report) {
  const Heads heads = heads_of(inputs);
  Tensor y = zeros(inputs.q.shape);
  report.bound.magnitude = "sum of weight |v|";
  report.bound.operands = "as bf16 (q times scale log2 e), scores up to 256";
  report.reason = why_not_on_cores(heads);
  if (report.reason.empty()) {
    attend(run, heads, y.values, report);
  } else {
    attend_on_cpu(heads, y, report);
  }
  return y;
}

// A query is the row twice, key j is log2 e at j and, what bf16 leaves over of it, behind the row's
// width: scores are exact but for 2^-17 of them.
Tensor run_softmax(const ArrayRun& run, const Tensor& x, TensorReport& report) {
  const std::size_t rows = rows_of(x), n = columns_of(x);
  constexpr std::size_t kMost = kMaxTileRows / 2;
  report.bound.magnitude = "result";
  report.bound.operands = "as bf16, |x| up to 177";
  Tensor y = zeros(x.shape);
  const bool is_finite =
      std::ranges::all_of(x.values, [](float value) { return std::isfinite(value); });
  if (n > kMost || !is_finite) {
    report.reason = !is_finite ? "no core has a softmax by itself, and made of attention it takes "
                                 "finite values only"
                               : "no core has a softmax by itself, and made of attention it takes "
                                 "rows of up to " +
                                     std::to_string(kMost) + ", these are of " + std::to_string(n);
    run_reference("softmax", {rows, n}, {x.values.data()}, y, report);
    return y;
  }
  report.reason = "no core has a softmax by itself: made of attention to unit vectors";
  Heads h{1, rows, n, 2 * n, {}, std::vector<float>(n * 2 * n), std::vector<float>(n * 2 * n)};
  for (std::size_t i = 0; i < rows * 2 * n; ++i) {
    h.q.push_back(x.values[i / (2 * n) * n + i % n]);
  }
  const float high = as_bf16(std::numbers::log2e_v<float>);
  for (std::size_t j = 0; j < n; ++j) {
    h.k[j * 2 * n + j] = high;
    h.k[j * 2 * n + n + j] = static_cast<float>(std::numbers::log2e - double{high});
    h.v[j * 2 * n + j] = 1;
  }
  std::vector<float> weights(rows * 2 * n);
  attend(run, h, weights, report);
  for (std::size_t i = 0; i < rows * n; ++i) y.values[i] = weights[i / n * 2 * n + i % n];
  return y;
}

}  // namespace wnpu::npu::ops
