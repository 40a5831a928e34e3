#include "npu/design/layer_builder.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "npu/design/layer_design.h"

namespace wnpu::npu {

Design empty_layer_design(const LayerGeometry& g, LayerCall call) {
  Design design;
  design.target = g.target;
  design.name = "layer " + std::string(g.target->name) +
                (g.precision == Precision::int8 ? " int8" : " bf16") + " " +
                std::to_string(g.shape.frames) + "x" + std::to_string(g.shape.width) + "x" +
                std::to_string(g.shape.hidden) + " ";
  if (g.shape.attended() != g.shape.width) {
    design.name += std::to_string(g.shape.heads) + " heads ";
  }
  design.name += std::string(layer_op_name(call.first));
  if (call.first != call.last) design.name += ".." + std::string(layer_op_name(call.last));
  if (g.shape.heads * kHeadWidth != g.shape.width || call.is_summand) {
    design.name += ", " + std::to_string(g.shape.heads) + " heads";
    if (call.is_summand) design.name += " of a sum";
  }
  constexpr std::array kNames{"input", "weights", "scratch", "output"};
  for (std::size_t i = 0; i < kLayerArguments; ++i) {
    design.memories.push_back(
        {kNames[i], true, g.argument_bytes(static_cast<LayerArgument>(i)), {}, 0, 0});
  }
  return design;
}

Design layer_design(const TunedLayer& layer, LayerCall call) {
  if (call.is_summand && call.has(LayerOp::out) && call.has(LayerOp::down)) {
    throw std::invalid_argument("layer call: expected out or down in a summand, found both");
  }
  return LayerBuilder(layer, call).build();
}

Design layer_design(const LayerGeometry& geometry, LayerCall call) {
  return layer_design(TunedLayer{geometry, {}}, call);
}

LayerBuilder::LayerBuilder(const TunedLayer& layer, LayerCall call)
    : g_(layer.geometry),
      t_(layer.tuning),
      call_(call),
      design_(empty_layer_design(g_, call)),
      streams_(design_, {t_.a_slots, t_.b_slots}),
      panels_(streams_.rows()) {
  qkv_token_ = streams_.add_token();
  key_value_token_ = streams_.add_token();
  attention_token_ = streams_.add_token();
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    hidden_tokens_.push_back(streams_.add_token());
  }
  add_panels();
}

Design LayerBuilder::build() {
  const Epilogue gelu = call_.with_gelu ? Epilogue::bias_gelu : Epilogue::bias;
  const Epilogue residual = call_.is_summand ? Epilogue::bias : Epilogue::bias_residual;
  for (std::size_t first = 0; first < g_.row_blocks; first += group()) {
    const Blocks blocks{first, std::min(group(), g_.row_blocks - first)};
    for (std::size_t i = 0; i < blocks.count && call_.has(LayerOp::norm1); ++i) norm(0, first + i);
    if (call_.has(LayerOp::qkv)) product(Gemm::qkv, blocks, Epilogue::bias);
  }
  if (call_.has(LayerOp::attend)) attend();
  for (std::size_t block = 0; block < g_.row_blocks; ++block) {
    if (call_.has(LayerOp::out)) product(Gemm::out, {block}, residual);
    if (call_.has(LayerOp::norm2)) norm(1, block);
    if (call_.has(LayerOp::up)) product(Gemm::up, {block}, gelu);
    if (call_.has(LayerOp::down)) product(Gemm::down, {block}, residual);
  }
  return std::move(design_);
}

Access LayerBuilder::argument(LayerArgument which, std::uint64_t offset, std::uint32_t run,
                              std::int64_t step) const {
  return {static_cast<std::size_t>(which), offset, run, {}, step, 0, 0, 0};
}

std::size_t LayerBuilder::normed_units(std::size_t which) const {
  const bool is_made_here = call_.has(which == 0 ? LayerOp::norm1 : LayerOp::norm2);
  const std::size_t elements =
      is_made_here ? norm_elements() : g_.gemm(which == 0 ? Gemm::qkv : Gemm::up).k_tiles;
  return elements + (is_int8() && !is_made_here ? 1 : 0);  // scales, one element for all rows
}

void LayerBuilder::add_panels() {
  const std::uint64_t begin = streams_.panels_begin();
  for (std::size_t row = 0; row < streams_.rows(); ++row) {
    // The second half of a layer that has the first before it takes over the memory.
    const std::uint64_t end = add_norm_panels(row, begin);
    add_feed_panels(row, call_.has(LayerOp::out) ? begin : end);
  }
  const std::uint64_t key_values = call_.has(LayerOp::attend) ? key_blocks() * kElementBytes : 0;
  for (std::size_t mem = 0; mem < streams_.rows(); ++mem) {
    key_values_.push_back(streams_.add_panel(mem, "key_values", begin, key_values, kEraAttend));
  }
}

std::uint64_t LayerBuilder::add_norm_panels(std::size_t row, std::uint64_t begin) {
  RowPanels& p = panels_[row];
  const bool has_states =
      call_.has(LayerOp::norm1) || (call_.has(LayerOp::norm2) && !call_.has(LayerOp::out));
  const bool has_normed = call_.has(LayerOp::norm1) || call_.has(LayerOp::qkv);
  const std::uint64_t states = has_states ? kPanelRows * g_.shape.width * 2 : 0;
  const std::uint64_t normed = has_normed ? normed_bytes() : 0;
  const std::uint64_t scales = kPanelRows * sizeof(float);
  // A panel that the second LayerNorm fills comes behind these.
  const std::uint64_t others =
      group() * normed + scales + shared_weight_bytes() + (has_normed ? 0 : states + scales);
  const bool has_two = t_.state_panels == 2 && begin + 2 * states + others <= streams_.panels_end();
  std::uint64_t offset = begin;
  for (std::size_t i = 0; i < (has_two ? 2 : 1); ++i) {
    p.states.push_back({streams_.add_panel(row, "states", offset, states, kEraNorm),
                        streams_.add_lock(row, "states free", state_tiles()),
                        streams_.add_lock(row, "states full", 0)});
    offset += states;
  }
  for (std::size_t i = 0; i < group(); ++i) {
    p.normed[0].push_back({streams_.add_panel(row, "normed", offset, normed, kEraNorm),
                           streams_.add_lock(row, "normed free", normed_units(0)),
                           streams_.add_lock(row, "normed full", 0)});
    offset += normed;
  }
  p.scales[0] = streams_.add_panel(row, "scales", offset, scales, kEraNorm);
  return add_shared_weights(row, offset + scales);
}

// Parameters and weights of one block of result tiles, an element each.
std::uint64_t LayerBuilder::shared_weight_bytes() const {
  if (group() == 1 || !call_.has(LayerOp::qkv)) return 0;
  return (1 + g_.gemm(Gemm::qkv).k_tiles) * kElementBytes;
}

std::uint64_t LayerBuilder::add_shared_weights(std::size_t row, std::uint64_t begin) {
  const std::uint64_t bytes = shared_weight_bytes();
  if (bytes == 0) return begin;
  shared_weights_.push_back({streams_.add_panel(row, "weights", begin, bytes, kEraNorm),
                             streams_.add_lock(row, "weights free", bytes / kElementBytes),
                             streams_.add_lock(row, "weights full", 0)});
  return begin + bytes;
}

void LayerBuilder::add_feed_panels(std::size_t row, std::uint64_t begin) {
  RowPanels& p = panels_[row];
  const std::uint64_t states = kPanelRows * g_.shape.width * 2;
  const GemmGeometry& up = g_.gemm(Gemm::up);
  const std::uint64_t hidden = up.blocks * streams_.columns() * kElementBytes;
  std::uint64_t offset = begin;
  // attended and normed[1] take turns in the same bytes: see multiply_attended.
  const bool has_out = call_.has(LayerOp::out);
  const bool has_shared = has_out || call_.has(LayerOp::norm2) || call_.has(LayerOp::up);
  const Panel shared =
      streams_.add_panel(row, "attended/normed", offset, has_shared ? states : 0, kEraFeed);
  p.attended = {shared, streams_.add_lock(row, "attended free", g_.gemm(Gemm::out).k_tiles),
                streams_.add_lock(row, "attended full", 0)};
  p.normed[1] = {{shared, streams_.add_lock(row, "normed2 free", has_out ? 0 : normed_units(1)),
                  streams_.add_lock(row, "normed2 full", 0)}};
  offset += has_shared ? states : 0;
  p.scales[1] = streams_.add_panel(row, "scales2", offset, kPanelRows * sizeof(float), kEraFeed);
  offset += kPanelRows * sizeof(float);
  const std::uint64_t middle = has_out ? states : 0;
  p.middle = {streams_.add_panel(row, "middle", offset, middle, kEraFeed),
              streams_.add_lock(row, "middle free", state_tiles()),
              streams_.add_lock(row, "middle full", 0)};
  offset += middle;
  hidden_fits_ = t_.keeps_hidden && offset + hidden <= streams_.panels_end();
  p.hidden = {streams_.add_panel(row, "hidden", offset, hidden_stays() ? hidden : 0, kEraFeed),
              streams_.add_lock(row, "hidden free", streams_.columns()),
              streams_.add_lock(row, "hidden full", 0)};
}

}  // namespace wnpu::npu
