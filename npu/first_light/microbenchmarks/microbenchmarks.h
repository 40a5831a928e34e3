// Microbenchmarks measure by difference: their calls differ in one thing alone, so that launch,
// start, fill and drain cancel, and a multiple of that one thing is left.
#pragma once

#include <vector>

#include "npu/first_light/microbenchmarks/calls.h"

namespace wnpu::npu {

enum class Quantity {
  stream_cycle,    // a cycle of a core's stream, 4 bytes
  register_write,  // by the controller
  task,            // given and waited for by the controller
  attention_step,  // kQueries queries by kKeys keys, all of a core's work on them
  product_step,    // 64x64 by 64x64, bf16
  gelu_tile,       // what an epilogue with GELU takes longer for 64x64 than one without
  norm_rows,       // LayerNorm of 4 rows of 1024, and their way to the mem tile
  ddr_read,        // a byte by all shim channels
  ddr_write,
};

struct MicrobenchmarkTerm {
  NamedDesign call;
  double weight = 0;
};

struct Microbenchmark {
  Quantity quantity = Quantity::stream_cycle;
  std::vector<MicrobenchmarkTerm> terms;
  double units = 0;  // how often the quantity is in the weighted sum of the terms' times
};

// For the quantity of tasks see npu/first_light/measure.cpp: what else the calls' programs differ
// in is counted.
std::vector<Microbenchmark> microbenchmarks(const Target& target);
// A call with next to nothing to do: what a call costs.
NamedDesign short_call(const Target& target);

// Calls that an XCLBIN's manifest has to contain: those of calls.h, then the microbenchmarks'.
std::vector<NamedDesign> trial_calls(const LayerGeometry& geometry);

// Elements of the two products' tiles and LayerNorm's rows in the microbenchmarks.
inline constexpr double kTileElements = 64 * 64;
inline constexpr double kTileMacs = 64 * 64 * 64;
inline constexpr double kNormElements = 4 * 1024;

}  // namespace wnpu::npu
