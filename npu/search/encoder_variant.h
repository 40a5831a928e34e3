// A smaller encoder made of another: which of its layers stay, what stays of each, in what numbers
// it is computed, and how many positions are one. Shapes alone: what the weights are, and how they
// are cut, is elsewhere (encoder/variant).
//
// The states keep their width: what comes before the layers and behind them is made for it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "npu/design/layer_abi.h"

namespace wnpu::npu {

// The encoder that a variant is made of.
struct WholeEncoder {
  std::size_t frames = 0;  // positions of a window
  std::size_t width = 0;
  std::size_t heads = 0;
  std::size_t hidden = 0;
  std::size_t layers = 0;

  bool operator==(const WholeEncoder&) const = default;
};

// A layer that stays.
struct LayerVariant {
  std::size_t layer = 0;  // of the whole encoder
  std::size_t heads = 0;
  std::size_t hidden = 0;
  Precision precision = Precision::bf16;

  bool operator==(const LayerVariant&) const = default;
};

struct EncoderVariant {
  // So many neighbouring positions become their mean before the first layer; behind the last each
  // is taken as often.
  std::size_t pooling = 1;
  std::vector<LayerVariant> layers;  // in their order

  bool operator==(const EncoderVariant&) const = default;
};

EncoderVariant whole_variant(const WholeEncoder& whole);

// Positions that the layers work on.
std::size_t pooled_frames(std::size_t frames, std::size_t pooling);

// The call of a layer that stays.
LayerShape layer_shape(const WholeEncoder& whole, const EncoderVariant& variant,
                       const LayerVariant& layer);

// Why there is no such variant of the encoder; empty: there is. What the array takes is asked
// elsewhere (variant_cost.h).
std::string variant_fault(const WholeEncoder& whole, const EncoderVariant& variant);

// "pooling 2, layers 0: 8 heads, hidden 2048, bf16; 3-5: 4 heads, hidden 1024, int8".
std::string variant_text(const EncoderVariant& variant);

// Multiply-adds of the variant's layers as a share of the whole encoder's, where one of int8 counts
// as half: how much is left, which says nothing of what it still hears.
double share_kept(const WholeEncoder& whole, const EncoderVariant& variant);

}  // namespace wnpu::npu
