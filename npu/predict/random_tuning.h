// Tunings by chance that a shape's layer can have: for samples and tests. The same on every
// machine.
#pragma once

#include <random>
#include <stdexcept>
#include <string>

#include "npu/design/layer_tuning.h"

namespace wnpu::npu {

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
