// Calls whose cores work on rows of their own: LayerNorm, GELU and attention over rows that lie end
// to end in DDR. The overlay is the layer's.
#pragma once

#include <cstddef>

#include "npu/design/design.h"

namespace wnpu::npu::ops {

// Results of a core in one call: each is a transfer of its own, of which the call's program and its
// check are made.
constexpr std::size_t kMostOuter = 1024;

// LayerNorm or GELU on elements of phase.m rows of phase.k values, bf16: phase.outer of them a
// core. Arguments: input, output; element (row * outer + o) * columns + column is that core's o-th.
Design elements_design(const Target& target, const PhaseHeader& phase);
std::size_t elements_of_call(const Target& target, const PhaseHeader& phase);

// Attention: phase.m queries of phase.k values an element, phase.inner blocks of phase.n keys and
// values a head, phase.outer elements of queries a core; `waves` of those are of a head, so that
// outer is a multiple. Arguments: queries, output, keys and values. Element
// (row * waves + wave) * columns + column of a head is that core's.
struct AttendPhase {
  PhaseHeader phase;
  std::size_t waves = 1;
};
Design attention_design(const Target& target, const AttendPhase& attend);

}  // namespace wnpu::npu::ops
