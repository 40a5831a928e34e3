
#include "npu/design/layer_abi.h"
#include "npu/design/layer_design.h"
#include "npu/design/layer_streams.h"
#include "npu/design/resident.h"

namespace wnpu::npu {
namespace {

Access whole(std::size_t memory, std::uint64_t offset, std::size_t bytes) {
  return {memory, offset, u32(bytes), {}, 0, 0, 0, 0};
}

// Elements of the input and output of a row's call.
std::size_t row_elements(RowOp op, const RowShape& shape) {
  if (op == RowOp::layer_norm) return shape.width;
  return op == RowOp::attend ? kRowQueries * kHeadWidth : kGeluChunk;
}

Phase row_phase(RowOp op, const RowShape& shape) {
  Phase phase;
  phase.outer = 1;
  phase.m = 1;
  phase.k = u32(row_elements(op, shape));
  switch (op) {
    case RowOp::layer_norm:
      phase.name = "norm row";
      phase.kernel = Kernel::layer_norm;
      break;
    case RowOp::gelu:
      phase.name = "gelu row";
      phase.kernel = Kernel::gelu;
      break;
    case RowOp::attend:
      phase.name = "attend row";
      phase.kernel = Kernel::attention;
      phase.inner = u32((shape.frames + kKeys - 1) / kKeys);
      phase.m = kRowQueries;
      phase.k = kHeadWidth;
      phase.n = kKeys;
      phase.valid = u32(shape.frames);
      break;
  }
  return phase;
}

}  // namespace

Design row_design(const Target& target, RowOp op, const RowShape& shape) {
  const Phase phase = row_phase(op, shape);
  const std::size_t bytes = row_elements(op, shape) * 2;
  Design design;
  design.target = &target;
  design.name = phase.name;
  // Behind the kept result, room for all the others.
  design.memories = {{"input", true, bytes, {}, 0, 0}, {"output", true, 2 * bytes, {}, 0, 0}};
  if (op == RowOp::attend) {
    design.memories.push_back({"keys and values", true, phase.inner * kElementBytes, {}, 0, 0});
  }
  design.phases = {phase};
  LayerStreams streams(design);
  for (std::size_t row = 0; row < streams.rows(); ++row) {
    streams.a_from_ddr(row, whole(0, 0, bytes), streams.columns(), {});
    for (std::size_t column = 0; column < streams.columns(); ++column) {
      const bool is_kept = row == 0 && column == 0;
      streams.c_to_ddr(row, column,
                       {whole(0, 0, bytes), whole(1, is_kept ? 0 : bytes, bytes), kNone});
    }
  }
  if (op == RowOp::attend) {
    Access blocks = whole(2, 0, kElementBytes);
    blocks.step = kElementBytes;
    for (std::size_t column = 0; column < streams.columns(); ++column) {
      streams.b_from_ddr(column, blocks, phase.inner, {});
    }
  }
  return design;
}

}  // namespace wnpu::npu
