// Tunings and cuts of a layer for tests; the random ones are the same on every machine.
#pragma once

#include <random>
#include <stdexcept>
#include <string>
#include <vector>

#include "npu/plans/plan_file.h"

namespace wnpu::npu {

// All ways to cut the operations of a layer into calls.
inline std::vector<std::vector<LayerCall>> all_cuts() {
  std::vector<std::vector<LayerCall>> cuts;
  for (unsigned borders = 0; borders < 1u << (kLayerOps - 1); ++borders) {
    std::vector<LayerCall> calls{{LayerOp::norm1, LayerOp::norm1}};
    for (std::size_t op = 1; op < kLayerOps; ++op) {
      if ((borders >> (op - 1) & 1) != 0) calls.push_back({static_cast<LayerOp>(op), {}});
      calls.back().last = static_cast<LayerOp>(op);
    }
    cuts.push_back(std::move(calls));
  }
  return cuts;
}

inline std::string text_of(const LayerTuning& t) {
  std::string text;
  for (const std::size_t n : {t.state_tile, t.qkv_tile, t.norm_rows, t.a_slots, t.b_slots,
                              t.state_panels, t.qkv_row_blocks}) {
    text += std::to_string(n) + " ";
  }
  for (const bool b : {t.keeps_hidden, t.attends_padding, t.broadcasts_keys}) text += b ? "y" : "n";
  return text;
}

// One that tuned_layer() takes; whether its call fits says check().
inline LayerTuning random_tuning(std::mt19937& random, const LayerShape& shape,
                                 Precision precision) {
  const auto below = [&random](std::size_t n) { return random() % n; };
  while (true) {
    LayerTuning t;
    t.state_tile = 8 * below(9);
    t.qkv_tile = below(2) == 0 ? 64 : 32;
    t.norm_rows = below(4) == 0 ? 0 : std::size_t{2} << below(4);
    t.a_slots = 1 + below(8);
    t.b_slots = 1 + below(8);
    t.state_panels = 1 + below(2);
    t.qkv_row_blocks = 1 + below(4);
    t.keeps_hidden = below(2) == 0;
    t.attends_padding = below(2) == 0;
    t.broadcasts_keys = below(2) == 0;
    try {
      static_cast<void>(tuned_layer(npu1(), shape, precision, t));
      return t;
    } catch (const std::invalid_argument&) {
      continue;
    }
  }
}

}  // namespace wnpu::npu
