// The module of a layer: its text says what the Design and the control programs say.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/control/call_start.h"
#include "npu/design/layer_design.h"
#include "npu/emit/module_text.h"
#include "npu/plans/plan.h"
#include "npu/sim/compile_call.h"
#include "tests/few_samples.h"
#include "tests/npu/emit/mlir_reader.h"
#include "tests/npu/small_design.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::npu;    // NOLINT
using namespace wnpu::tests;  // NOLINT

namespace {

EmittedCall call_of(const std::string& name, const LayerGeometry& geometry, LayerCall layer = {}) {
  Design design = layer_design(geometry, layer);
  ControlProgram program = control_program(design).program;
  return {name, std::move(design), std::move(program)};
}

LayerGeometry geometry_of(const EncoderShape& s, Precision precision = Precision::bf16) {
  return layer_geometry(npu1(), {1500, s.width, s.heads, s.hidden}, precision);
}

std::string module_of(const EmittedCall& call) { return module_text({&call, 1}); }

std::string tile_text(TileId tile) {
  return "%t_" + std::to_string(tile.column) + "_" + std::to_string(array_row(tile));
}

// As the reader writes them.
std::vector<std::string> flows_of(const Design& d) {
  std::vector<std::string> flows;
  const auto port = [&](std::size_t channel) {
    return tile_text(d.channels[channel].tile) + " DMA " +
           std::to_string(d.channels[channel].index);
  };
  for (const Link& link : d.links) {
    for (const std::size_t sink : link.sinks) {
      flows.push_back(
          port(link.source) + " -> " + port(sink) +
          (link.packet_id == kCircuit ? "" : ", packet " + std::to_string(link.packet_id)));
    }
  }
  return flows;
}

bool is_balanced(const std::string& text) {
  std::string open;
  const std::string pairs = "{}[]()";
  for (const char c : text) {
    const std::size_t at = pairs.find(c);
    if (at == std::string::npos) continue;
    if (at % 2 == 0) {
      open += pairs[at + 1];
    } else if (open.empty() || open.back() != c) {
      return false;
    } else {
      open.pop_back();
    }
  }
  return open.empty();
}

// Within the device; what regions define is their own.
bool defines_each_value_once(const std::string& text) {
  std::set<std::string> seen;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("  %")) continue;
    if (!seen.insert(line.substr(0, line.find(' ', 2))).second) return false;
  }
  return !seen.empty();
}

}  // namespace

TEST_CASE("emit: every Whisper size's module says its program, operation by operation") {
  for (const auto& [size, shape] : some_of(kWhisperSizes)) {
    const std::string label(size);  // Clang captures no structured binding
    CAPTURE(label);
    const EmittedCall call = call_of("layer", geometry_of(shape));
    const std::string text = module_of(call);
    CHECK(is_balanced(text));
    CHECK(defines_each_value_once(text));
    const ReadModule module = MlirReader::read(text);
    REQUIRE(module.sequences.size() == 1);
    const ControlProgram read{call.program.shape, module.sequences.at("layer")};
    CHECK(encode(read) == encode(call.program));
  }
}

TEST_CASE("emit: int8, and every call of plan batched, as sequences of one module") {
  std::vector<EmittedCall> calls{call_of("int8", geometry_of(kTiny, Precision::int8))};
  for (const LayerCall& layer : layer_calls(Plan::batched)) {
    const std::string name = "call" + std::to_string(calls.size());
    calls.push_back(call_of(name, geometry_of(kTiny), layer));
  }
  const ReadModule module = MlirReader::read(module_text(calls));
  CHECK(module.sequences.size() == calls.size());
  for (const EmittedCall& call : calls) {
    const ControlProgram read{call.program.shape, module.sequences.at(call.name)};
    CHECK(encode(read) == encode(call.program));
  }
}

TEST_CASE("emit: the streams are the Design's, each once, and every shim channel has a name") {
  const EmittedCall call = call_of("layer", small_geometry());
  const ReadModule module = MlirReader::read(module_of(call));
  CHECK(module.device == "npu1");
  std::vector<std::string> found = module.flows;
  CHECK(found == flows_of(call.design));
  std::ranges::sort(found);
  CHECK(std::ranges::adjacent_find(found) == found.end());
  std::vector<std::string> expected;
  for (const Channel& c : call.design.channels) {
    if (c.tile.kind != TileKind::shim) continue;
    expected.push_back(tile_text(c.tile) + (c.direction == Direction::s2mm ? " S2MM " : " MM2S ") +
                       std::to_string(c.index));
  }
  CHECK(module.allocations == expected);
  CHECK(module.cores.size() == 16);
}

// The controller waits for tokens of shims and mem tiles; mlir-aie itself routes shims' alone.
TEST_CASE("emit: tokens of all tiles that are awaited go down their column, by the id they have") {
  const EmittedCall call = call_of("layer", small_geometry());
  const std::string text = module_of(call);
  std::map<std::string, int> packets;  // of a tile's tokens, as the module routes them
  for (const std::string& route : MlirReader::read(text).tokens) {
    const std::string tile = route.substr(0, 6);
    CHECK(route.substr(6, 10) == " -> %t_" + tile.substr(3, 2) + "0");
    packets[tile] = std::stoi(route.substr(route.find("packet ") + 7));
    CHECK(text.find(tile + " = aie.tile(" + tile.substr(3, 1) + ", " + tile.substr(5, 1) +
                    ") {controller_id = #aie.packet_info<pkt_type = 0, pkt_id = " +
                    std::to_string(packets[tile]) + ">}") != std::string::npos);
  }
  CHECK(packets.size() == 8);
  std::size_t n_routed = 0;
  std::size_t n_waits = 0;
  for (const Operation& operation : call.program.operations) {
    if (const auto* r = std::get_if<RouteTokens>(&operation)) {
      CHECK(packets.at(tile_text(r->port.tile)) == r->controller);
      ++n_routed;
    } else if (const auto* w = std::get_if<WaitForTokens>(&operation)) {
      CHECK(packets.contains(tile_text(w->port.tile)));
      ++n_waits;
    }
  }
  CHECK(n_routed > 8);
  CHECK(n_waits > 100);
}

TEST_CASE("emit: locks of cores are their own, in range; a call sets those of mem tiles first") {
  const EmittedCall call = call_of("layer", geometry_of(kBase));
  const ReadModule module = MlirReader::read(module_of(call));
  std::set<std::pair<std::string, int>> seen;
  for (const auto& [name, lock] : module.locks) {
    const std::string label(name);
    CAPTURE(label);
    CHECK(!lock.tile.ends_with("_1"));
    CHECK(lock.id < npu1().core_dma.locks);
    CHECK(lock.initial <= kMaxLockValue);
    CHECK(seen.insert({lock.tile, lock.id}).second);
  }
  CHECK(module.locks.size() == 16 * (2 * kPorts + 1));
  std::set<RegisterAddress> set;
  for (const Operation& operation : call.program.operations) {
    if (std::holds_alternative<PushTask>(operation)) break;
    const auto* lock = std::get_if<SetLock>(&operation);
    if (lock == nullptr || lock->tile.kind != TileKind::mem) continue;
    CHECK(set.insert(lock_address(lock->tile, lock->lock)).second);
    std::size_t i = 0;
    const auto is_other = [&] {
      return !(call.design.locks[i].tile == lock->tile) || lock_id(call.design, i) != lock->lock;
    };
    while (is_other()) ++i;
    CHECK(call.design.locks[i].initial == lock->value);
  }
  CHECK(set.size() == call.design.locks.size());
}

TEST_CASE("emit: buffers of a core lie apart, behind its stack, a port's element in one bank") {
  const EmittedCall call = call_of("layer", small_geometry());
  const ReadModule module = MlirReader::read(module_of(call));
  CHECK(module.buffers.size() == 16 * 9);
  for (const auto& [name, b] : module.buffers) {
    const std::string label(name);
    CAPTURE(label);
    CHECK(b.address >= call.design.core.stack_bytes);
    CHECK(b.address + b.bytes <= npu1().core_memory_bytes);
    CHECK(b.address / kBankBytes == (b.address + b.bytes - 1) / kBankBytes);
    for (const auto& [other_name, other] : module.buffers) {
      if (other_name == name || other.tile != b.tile) continue;
      CHECK((other.address + other.bytes <= b.address || b.address + b.bytes <= other.address));
    }
  }
}

TEST_CASE("emit: a core's channels repeat their descriptors for ever, as many as they own") {
  const EmittedCall call = call_of("layer", small_geometry());
  const ReadModule module = MlirReader::read(module_of(call));
  const std::vector<std::string> expected{"aie.dma(S2MM, 0) [{",
                                          "aie.use_lock(%A_free_0_2, AcquireGreaterEqual, %one)",
                                          "aie.dma_bd(%A0_0_2 : memref<8192xi8>) {bd_id = 0 : i32}",
                                          "aie.use_lock(%A_full_0_2, Release, %one)",
                                          "aie.use_lock(%A_free_0_2, AcquireGreaterEqual, %one)",
                                          "aie.dma_bd(%A1_0_2 : memref<8192xi8>) {bd_id = 1 : i32}",
                                          "aie.use_lock(%A_full_0_2, Release, %one)",
                                          "aie.dma(S2MM, 1) [{",
                                          "aie.use_lock(%B_free_0_2, AcquireGreaterEqual, %one)",
                                          "aie.dma_bd(%B0_0_2 : memref<8192xi8>) {bd_id = 2 : i32}",
                                          "aie.use_lock(%B_full_0_2, Release, %one)",
                                          "aie.use_lock(%B_free_0_2, AcquireGreaterEqual, %one)",
                                          "aie.dma_bd(%B1_0_2 : memref<8192xi8>) {bd_id = 3 : i32}",
                                          "aie.use_lock(%B_full_0_2, Release, %one)",
                                          "aie.dma(MM2S, 0) [{",
                                          "aie.use_lock(%C_full_0_2, AcquireGreaterEqual, %one)",
                                          "aie.dma_bd(%C_0_2 : memref<8192xi8>) {bd_id = 4 : i32}",
                                          "aie.use_lock(%C_free_0_2, Release, %one)"};
  REQUIRE(module.dma.size() == 16 * expected.size());
  const auto end = module.dma.begin() + static_cast<std::ptrdiff_t>(expected.size());
  CHECK(std::vector(module.dma.begin(), end) == expected);
}

// Words that mlir-aie of 2026-03-14 wrote for core(0,0) after placement and routing of an emitted
// module (aie-opt --convert-aie-to-transaction), descriptors 0 to 4 and locks 0 to 6.
TEST_CASE("emit: mlir-aie configures a core's channels and locks as the overlay's core says") {
  const std::vector<std::vector<std::uint32_t>> words{{67110912, 0, 0, 0, 0, 235159520},
                                                      {100665344, 0, 0, 0, 0, 100941792},
                                                      {134219776, 0, 0, 0, 0, 503611362},
                                                      {167774208, 0, 0, 0, 0, 369393634},
                                                      {16779264, 0, 0, 0, 0, 637837285}};
  const CoreLayout core = layer_design(small_geometry()).core;
  int n_descriptors = 0;
  std::vector<int> initial(words.size() + 2);
  for (std::size_t port = 0; port < kPorts; ++port) {
    const CoreBuffer& buffer = core.buffers[port];
    const PortLocks& locks = core.locks[port];
    const bool is_in = static_cast<Port>(port) != Port::c;
    const int first = n_descriptors;
    for (int i = 0; i < buffer.depth; ++i) {
      BufferDescriptor d;
      d.length = buffer.bytes / 4;
      d.address = (buffer.offset + static_cast<std::size_t>(i) * buffer.bytes) / 4;
      d.acquire = LockChange{is_in ? locks.free : locks.full, -1};
      d.release = LockChange{is_in ? locks.full : locks.free, 1};
      d.next = first + (i + 1) % buffer.depth;
      CHECK(encode_descriptor(TileKind::core, d) ==
            words.at(static_cast<std::size_t>(n_descriptors++)));
    }
    initial.at(static_cast<std::size_t>(locks.free)) = buffer.depth;
  }
  CHECK(static_cast<std::size_t>(n_descriptors) == words.size());
  for (int lock = 0; lock < 7; ++lock) {
    CHECK(lock_address({TileKind::core, 0, 0}, lock) ==
          2224128u + 16u * static_cast<unsigned>(lock));
  }
  CHECK(initial == std::vector{2, 0, 2, 0, 1, 0, 0});
}

TEST_CASE("emit: calls of two overlays are no module, nor is none") {
  std::vector<EmittedCall> calls{call_of("one", small_geometry()),
                                 call_of("two", small_geometry())};
  calls[1].design.core.stack_bytes += 32;
  CHECK_THROWS_WITH_AS(module_text(calls), doctest::Contains("call two: expected overlay"),
                       ControlError);
  CHECK_THROWS_AS(module_text({}), ControlError);
}

TEST_CASE("emit: an address beyond what a patch holds is refused") {
  EmittedCall call = call_of("layer", small_geometry());
  call.program.operations.emplace_back(PatchAddress{4, 0, std::uint64_t{1} << 31});
  CHECK_THROWS_WITH_AS(module_of(call), doctest::Contains("found 2147483648"), ControlError);
}

TEST_CASE("emit: flows are those that mlir-aie's router has taken") {
  const std::filesystem::path path =
      std::filesystem::path(WNPU_SOURCE_DIR) / "../shared/golden/mlir-aie/designs/flows_npu1.mlir";
  std::ifstream file(path);
  if (!file) {
    MESSAGE("SKIP: no golden designs at ../shared");
    return;
  }
  const auto flows = [](const std::string& text) {
    std::vector<std::string> list = MlirReader::read(text).flows;
    for (std::string& flow : list) flow = flow.substr(0, flow.find(", packet"));
    std::ranges::sort(list);
    return list;
  };
  const std::string golden{std::istreambuf_iterator<char>(file), {}};
  CHECK(flows(golden) == flows(module_of(call_of("layer", small_geometry()))));
}
