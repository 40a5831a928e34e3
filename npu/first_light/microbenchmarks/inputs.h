// Inputs of first light: the same on every machine, from a seed.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "npu/design/layer_abi.h"

namespace wnpu::npu {

// `ordinary`: near 1 in every layer, as in a trained model. `hostile`: what an arithmetic unit may
// get wrong and a trained model seldom shows: weights and states over 2^-30 to 2^4, both zeros,
// rows of zeros, a state 10^4 times the others, softmaxes of one key. No result is infinite.
enum class Values { ordinary, hostile };
inline constexpr std::array<std::string_view, 2> kValuesNames{"ordinary", "hostile"};

struct LayerInputs {
  std::vector<std::byte> states;   // as the input argument has them
  std::vector<std::byte> weights;  // packed
};
LayerInputs layer_inputs(const LayerGeometry& geometry, Values values, std::uint64_t seed);

// bfloat16 numbers end to end.
void fill_numbers(std::span<std::byte> bytes, Values values, std::uint64_t seed);

}  // namespace wnpu::npu
