#include "npu/tensor/core_designs.h"

#include <string>

#include "npu/design/layer_streams.h"
#include "npu/design/resident.h"

namespace wnpu::npu::ops {
namespace {

std::size_t element_bytes(const PhaseHeader& p) { return std::size_t{p.m} * p.k * 2; }

Design empty_design(const Target& target, const PhaseHeader& header, const std::string& name) {
  Design design;
  design.target = &target;
  design.name = name + " " + std::to_string(header.m) + "x" + std::to_string(header.k);
  Phase phase;
  static_cast<PhaseHeader&>(phase) = header;
  phase.name = name;
  design.phases = {phase};
  return design;
}

// The elements of a row of cores from `first` on, one each, and their results.
struct Elements {
  std::size_t row = 0;
  std::size_t first = 0;  // counted over all
  std::size_t count = 0;  // a multiple of the columns
};
void pass_elements(LayerStreams& streams, const PhaseHeader& p, const Elements& elements) {
  const std::size_t bytes = element_bytes(p);
  streams.a_from_ddr(elements.row, end_to_end(0, elements.first * bytes, bytes), elements.count,
                     {});
  for (std::size_t i = 0; i < elements.count; ++i) {
    streams.c_to_ddr(
        elements.row, i % streams.columns(),
        {end_to_end(0, 0, bytes), end_to_end(1, (elements.first + i) * bytes, bytes), kNone});
  }
}

}  // namespace

std::size_t elements_of_call(const Target& target, const PhaseHeader& phase) {
  return std::size_t{phase.outer} * static_cast<std::size_t>(target.core_rows) *
         static_cast<std::size_t>(target.columns);
}

Design elements_design(const Target& target, const PhaseHeader& phase) {
  Design design = empty_design(target, phase, phase.kernel == Kernel::gelu ? "gelu" : "layer norm");
  const std::size_t bytes = elements_of_call(target, phase) * element_bytes(phase);
  design.memories = {{"input", true, bytes, {}, 0, 0}, {"output", true, bytes, {}, 0, 0}};
  LayerStreams streams(design);
  const std::size_t of_row = phase.outer * streams.columns();
  for (std::size_t row = 0; row < streams.rows(); ++row) {
    pass_elements(streams, phase, {row, row * of_row, of_row});
  }
  return design;
}

Design attention_design(const Target& target, const AttendPhase& attend) {
  const PhaseHeader& p = attend.phase;
  Design design = empty_design(target, p, "attention");
  const std::size_t bytes = elements_of_call(target, p) * element_bytes(p);
  const std::size_t heads = p.outer / attend.waves;
  const std::size_t block = std::size_t{p.n} * p.k * 2 * 2;  // keys, then values
  design.memories = {{"queries", true, bytes, {}, 0, 0},
                     {"output", true, bytes, {}, 0, 0},
                     {"keys and values", true, heads * p.inner * block, {}, 0, 0}};
  LayerStreams streams(design);
  for (std::size_t head = 0; head < heads; ++head) {
    const std::size_t first = head * attend.waves * streams.rows() * streams.columns();
    for (std::size_t row = 0; row < streams.rows(); ++row) {
      const std::size_t of_row = attend.waves * streams.columns();
      pass_elements(streams, p, {row, first + row * of_row, of_row});
    }
    for (std::size_t i = 0; i < attend.waves * streams.columns(); ++i) {
      streams.b_from_ddr(i % streams.columns(), end_to_end(2, head * p.inner * block, block),
                         p.inner, {});
    }
  }
  return design;
}

}  // namespace wnpu::npu::ops
