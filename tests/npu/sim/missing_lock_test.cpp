// A layer's design with a lock that nobody takes or gives: the simulator's bits are wrong, though
// the order of the moves may be the right one.
#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include <doctest/doctest.h>

#include "npu/sim/sim_device.h"
#include "tests/support/layer_call.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

constexpr std::string_view kMissingLockPreset = "phoenix-1.0/published";

std::size_t lock_named(const Design& design, const std::string& name, TileId tile) {
  for (std::size_t i = 0; i < design.locks.size(); ++i) {
    if (design.locks[i].name == name && design.locks[i].tile == tile) return i;
  }
  FAIL("no lock " << name);
  return kNone;
}

Design without_lock(Design design, std::size_t lock) {
  for (auto& queue : design.transfers) {
    for (Transfer& transfer : queue) {
      if (transfer.acquire.lock == lock) transfer.acquire.lock = kNone;
      if (transfer.release.lock == lock) transfer.release.lock = kNone;
    }
  }
  return design;
}

// Empty where the simulator refuses the design.
std::vector<float> bits_of(const Design& design, const LayerGeometry& layer) {
  SimDeviceOptions options;
  options.preset = kMissingLockPreset;
  const auto device = open_sim_device(options);
  const auto weights =
      tests::random_layer(layer.shape.width, layer.shape.attended(), layer.shape.hidden);
  const auto states = tests::random_matrix(layer.shape.frames, layer.shape.width, 5, 1.5);
  std::vector<float> result(layer.shape.frames * layer.shape.width);
  try {
    const auto program = device->load(design);
    std::vector<std::unique_ptr<Buffer>> buffers;
    std::vector<Buffer*> arguments;
    for (std::size_t i = 0; i < kLayerArguments; ++i) {
      const std::size_t bytes = layer.argument_bytes(static_cast<LayerArgument>(i));
      buffers.push_back(program->allocate(bytes, static_cast<int>(i)));
      arguments.push_back(buffers.back().get());
    }
    pack_states(layer, states.flat(), layer.shape.width, buffers[0]->host());
    pack_weights(layer, tests::layer_weights(weights), buffers[1]->host());
    for (const std::size_t i : {0UL, 1UL}) buffers[i]->to_device();
    program->run(arguments, std::chrono::seconds(10));
    buffers[3]->from_device();
    unpack_states(layer, buffers[3]->host(), result, layer.shape.width);
  } catch (const DeviceError&) {
    return {};
  }
  return result;
}

}  // namespace

// The rows that norm2 has written are read while the last of them are still on their way: read when
// a move ends, they would be right.
TEST_CASE("missing lock: a race within a move is a wrong result") {
  const auto layer = layer_geometry(npu1(), {100, 128, 2, 256}, Precision::bf16);
  const Design design = layer_design(layer, LayerCall{});
  const std::size_t lock = lock_named(design, "normed2 full", {TileKind::mem, 0, 0});
  const auto right = bits_of(design, layer);
  CHECK(tests::all_finite(right));
  CHECK_FALSE(right.empty());
  const auto wrong = bits_of(without_lock(design, lock), layer);
  const bool is_same = std::ranges::equal(right, wrong, [](float x, float y) { return x == y; });
  CHECK_FALSE(is_same);
}
