// Ways to divide an encoder among arrays, and what the time model says of each.
#include "npu/plans/split_model.h"

#include <algorithm>
#include <array>
#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/sim/check.h"

using namespace wnpu::npu;  // NOLINT

namespace {

constexpr EncoderShape kTinyShape{384, 6, 1536, 4};
constexpr EncoderShape kBaseShape{512, 8, 2048, 6};

struct Model {
  explicit Model(const EncoderShape& shape, Plan plan = Plan::fused)
      : model(shape, 1500, Precision::bf16, plan, tuned, preset) {}

  HardwareModel preset = find_preset(kDefaultPreset);
  std::optional<PlanFile> tuned;
  SplitModel model;
};

const SplitCost& of(const std::vector<SplitCost>& costs, Split split) {
  return costs[static_cast<std::size_t>(split)];
}

}  // namespace

TEST_CASE("split: layers and heads are divided whole, each once, as evenly as can be") {
  std::mt19937 random(11);
  for (int i = 0; i < 500; ++i) {
    const std::size_t n = 1 + random() % 32;
    const std::size_t parts = 1 + random() % n;
    std::size_t next = 0;
    for (const LayerRange& range : divide_layers(n, parts)) {
      CHECK(range.first == next);
      CHECK((range.count == n / parts || range.count == n / parts + 1));
      next += range.count;
    }
    CHECK(next == n);
    std::size_t next_hidden = 0;
    std::size_t next_head = 0;
    for (const LayerPart& part : divide_heads({1500, 64 * n, n, 256 * n}, parts)) {
      CHECK(part.first_head == next_head);
      CHECK(part.first_hidden == next_hidden);
      CHECK(part.hidden % 64 == 0);
      next_head += part.heads;
      next_hidden += part.hidden;
    }
    CHECK(next_head == n);
    CHECK(next_hidden == 256 * n);
  }
  CHECK_THROWS_AS(divide_layers(4, 5), std::invalid_argument);
  CHECK_THROWS_AS(divide_layers(4, 0), std::invalid_argument);
}

TEST_CASE("split: the calls of a part are legal for all Whisper sizes that fit, in any number") {
  constexpr std::array<std::size_t, 5> kHeads{6, 8, 12, 16, 20};
  for (const std::size_t heads : kHeads) {
    const LayerShape shape{1500, 64 * heads, heads, 256 * heads};
    for (const std::size_t n : {std::size_t{2}, std::size_t{3}, heads}) {
      CAPTURE(heads);
      CAPTURE(n);
      for (const LayerPart& part :
           {divide_heads(shape, n).front(), divide_heads(shape, n).back()}) {
        const LayerGeometry geometry = part_geometry(npu1(), shape, Precision::bf16, part);
        for (const LayerCall& call : part_calls()) {
          const auto problems = check(layer_design(geometry, call));
          CHECK(problems == std::vector<std::string>{});
        }
      }
    }
  }
  LayerCall whole;
  whole.is_summand = true;
  CHECK_THROWS_AS(layer_design(layer_geometry(npu1(), {24, 128, 2, 512}, Precision::bf16), whole),
                  std::invalid_argument);
}

TEST_CASE("split model: one window by windows is the plan's own cost, and its states' way") {
  Model tiny(kTinyShape);
  const PlanCost plan = model_plan(kTinyShape, 1500, Plan::fused, tiny.preset);
  const std::size_t states =
      layer_geometry(npu1(), {1500, 384, 6, 1536}, Precision::bf16).states_bytes;
  const double way_ms =
      3.0 * 2 * static_cast<double>(states) / (tiny.preset.ddr_read_gb_per_s * 1e6);
  CHECK(tiny.model.window_ms() == doctest::Approx(plan.modelled_ms() + way_ms));
  const auto costs = tiny.model.costs(2, 1);
  CHECK(of(costs, Split::windows).modelled_ms == doctest::Approx(tiny.model.window_ms()));
  CHECK(of(costs, Split::windows).exchanged_bytes == 0);
}

TEST_CASE(
    "split model: many windows go by windows, one by heads, and layers where memory is short") {
  Model base(kBaseShape);
  const auto many = base.model.costs(2, 8);
  CHECK(best_split(many).split == Split::windows);
  const auto one = base.model.costs(2, 1);
  CHECK(best_split(one).split == Split::heads);
  MESSAGE(split_reason(one, 2, 1));
  MESSAGE(split_reason(many, 2, 8));
  // With every window that comes at once layers lose less of their start.
  CHECK(of(many, Split::layers).modelled_ms > of(many, Split::windows).modelled_ms);
  CHECK(of(many, Split::layers).modelled_ms < 8 * base.model.window_ms());
  // No device holds all layers; at 8 windows heads are the slower of the other two.
  const auto short_of = base.model.costs(2, 8, of(many, Split::windows).device_bytes - 1);
  CHECK_FALSE(of(short_of, Split::windows).refusal.empty());
  CHECK(best_split(short_of).modelled_ms <=
        std::min(of(many, Split::layers).modelled_ms, of(many, Split::heads).modelled_ms));
  CHECK_THROWS_WITH_AS(best_split(base.model.costs(2, 8, 1)),
                       doctest::Contains("windows: expected"), std::invalid_argument);
}

TEST_CASE("split model: bytes are those of the states, by the number of hand-overs") {
  Model tiny(kTinyShape);
  const std::uint64_t states =
      layer_geometry(npu1(), {1500, 384, 6, 1536}, Precision::bf16).states_bytes;
  for (const std::size_t n_devices : {1U, 2U, 3U, 4U}) {
    for (const std::size_t n_windows : {1U, 3U}) {
      const auto costs = tiny.model.costs(n_devices, n_windows);
      CHECK(of(costs, Split::layers).exchanged_bytes == n_windows * (n_devices - 1) * 2 * states);
      CHECK(of(costs, Split::heads).exchanged_bytes ==
            n_windows * (2 * 4 * n_devices * 2 - 2) * states);
      CHECK(of(costs, Split::layers).device_bytes <= of(costs, Split::windows).device_bytes);
    }
  }
}

TEST_CASE("split model: what cannot be says why, and is not chosen") {
  Model batched(kTinyShape, Plan::batched);
  const auto costs = batched.model.costs(2, 1);
  CHECK(of(costs, Split::windows).refusal.empty());
  CHECK(of(costs, Split::heads).refusal.find("plan fused") != std::string::npos);
  CHECK(best_split(costs).split == Split::windows);
  CHECK(of(Model(kTinyShape).model.costs(5, 1), Split::layers).refusal.find("at most 4") !=
        std::string::npos);
  CHECK_THROWS_AS(best_split(Model(kTinyShape, Plan::hybrid).model.costs(2, 1)),
                  std::invalid_argument);
}
