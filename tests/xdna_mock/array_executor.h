// Stand-in for the array: computes a call's Design on the memory of its arguments. A stream of this
// kind takes the place of the instructions that AMD's toolchain would make: it names the Design by
// what it is built from, and carries its hash.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "npu/design/design.h"
#include "npu/design/layer_design.h"

namespace wnpu::tests {

// A call that the stand-in knows: a layer or a call of first light, computed by the simulator, or
// an adder of the tests.
struct StandInCall {
  npu::LayerShape shape;
  npu::Precision precision = npu::Precision::bf16;
  npu::LayerCall layer;
  std::size_t adder_elements = 0;  // not 0: out[i] = a[i] + b[i], int32, on arguments a, b, out
  std::size_t trial = 0;  // not 0: the call of this place, from 1, in trial_calls() of the shape
};

npu::Design design_of(const StandInCall& call);

// The calls of the plans fused, batched and hybrid for a model's layers.
std::vector<StandInCall> calls_of_model(const npu::LayerShape& shape, npu::Precision precision);

// All that first light runs.
std::vector<StandInCall> calls_of_first_light(const npu::LayerShape& shape);

std::vector<std::uint32_t> to_stream(const StandInCall& call);

// Runs the call of a stream. Throws std::exception where the stream is none of this kind, was made
// by another version of the Design, or does not fit the arguments.
void execute(std::span<const std::uint32_t> stream,
             std::span<const std::span<std::byte>> arguments);

}  // namespace wnpu::tests
