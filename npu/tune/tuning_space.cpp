#include "npu/tune/tuning_space.h"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace wnpu::npu {
namespace {

constexpr std::array kEitherWay{true, false};  // the choice by hand first

bool can_have(const Target& target, const LayerShape& shape, Precision precision,
              const LayerTuning& tuning) {
  try {
    static_cast<void>(tuned_layer(target, shape, precision, tuning));
    return true;
  } catch (const std::invalid_argument&) {
    return false;
  }
}

// Each of `tunings` with each of `values` in a field.
template <typename Value, typename Values>
void cross(std::vector<LayerTuning>& tunings, Value LayerTuning::*field, const Values& values) {
  std::vector<LayerTuning> crossed;
  for (const LayerTuning& tuning : tunings) {
    for (const Value value : values) {
      crossed.push_back(tuning);
      crossed.back().*field = value;
    }
  }
  tunings = std::move(crossed);
}

}  // namespace

LayerTuning with_buffers(LayerTuning tuning, const TuningSpace::Buffers& buffers) {
  tuning.a_slots = buffers.a_slots;
  tuning.b_slots = buffers.b_slots;
  tuning.state_panels = buffers.state_panels;
  return tuning;
}

std::vector<std::vector<LayerCall>> all_cuts() {
  std::vector<std::vector<LayerCall>> cuts;
  for (unsigned borders = 0; borders < 1u << (kLayerOps - 1); ++borders) {
    std::vector<LayerCall> calls{{LayerOp::norm1, LayerOp::norm1}};
    for (std::size_t op = 1; op < kLayerOps; ++op) {
      if ((borders >> (op - 1) & 1) != 0) calls.push_back({static_cast<LayerOp>(op), {}});
      calls.back().last = static_cast<LayerOp>(op);
    }
    cuts.push_back(std::move(calls));
  }
  std::ranges::stable_sort(cuts, {}, [](const auto& calls) { return calls.size(); });
  return cuts;
}

TuningSpace whole_space(const Target& target, const LayerShape& shape, Precision precision) {
  const LayerGeometry by_hand = layer_geometry(target, shape, precision);
  TuningSpace space;
  space.tunings = {LayerTuning{}};
  cross(space.tunings, &LayerTuning::state_tile, std::array<std::size_t, 5>{0, 48, 40, 32, 16});
  cross(space.tunings, &LayerTuning::norm_rows, std::array<std::size_t, 5>{0, 2, 4, 8, 16});
  cross(space.tunings, &LayerTuning::qkv_row_blocks, std::array<std::size_t, 4>{1, 2, 3, 6});
  cross(space.tunings, &LayerTuning::keeps_hidden, kEitherWay);
  cross(space.tunings, &LayerTuning::attends_padding, kEitherWay);
  cross(space.tunings, &LayerTuning::broadcasts_keys, kEitherWay);
  std::erase_if(space.tunings, [&](const LayerTuning& t) {
    // By rule it is one of the others.
    const bool is_twice = t.state_tile == by_hand.state_tile() || t.norm_rows == by_hand.norm_rows;
    return is_twice || !can_have(target, shape, precision, t);
  });
  for (const std::size_t a : {4u, 2u, 6u}) {
    for (const std::size_t b : {4u, 2u, 6u}) {
      for (const std::size_t panels : {2u, 1u}) space.buffers.push_back({a, b, panels});
    }
  }
  space.buffers.erase(space.buffers.begin());  // its default is among them, first
  space.calls = all_cuts();
  return space;
}

}  // namespace wnpu::npu
