// Search space: every combination of some tunings and ways to cut a layer into calls.
#pragma once

#include <vector>

#include "npu/plans/layer_plan.h"

namespace wnpu::npu {

struct TuningSpace {
  // That change what cores do or DDR moves; of each only those that the shape can have.
  std::vector<LayerTuning> tunings;
  // Slots and panels that each of them is tried with; the first is that of the design by hand.
  struct Buffers {
    std::size_t a_slots = 4;
    std::size_t b_slots = 4;
    std::size_t state_panels = 2;
  };
  std::vector<Buffers> buffers{Buffers{}};
  // Cuts into calls, fewest calls first.
  std::vector<std::vector<LayerCall>> calls;

  std::size_t size() const { return tunings.size() * buffers.size() * calls.size(); }
};

LayerTuning with_buffers(LayerTuning tuning, const TuningSpace::Buffers& buffers);

// Widths of state tiles, rows of a LayerNorm, row blocks, panels and streams as LayerTuning has
// them; rings of two, four and six slots; all 64 cuts of the seven operations. Not halves of heads
// (qkv_tile 32), which are written to DDR in runs of 256 bytes: the time model counts those as long
// ones.
TuningSpace whole_space(const Target& target, const LayerShape& shape, Precision precision);

// All ways to cut the operations into calls.
std::vector<std::vector<LayerCall>> all_cuts();

}  // namespace wnpu::npu
