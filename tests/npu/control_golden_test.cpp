// Control programs against those that mlir-aie's tools made (tests/data/README.md).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "npu/control/control_program.h"
#include "tests/npu/shim_tasks.h"

using namespace wnpu::npu;  // NOLINT

namespace {

std::filesystem::path golden(const std::string& name) {
  return std::filesystem::path(WNPU_SOURCE_DIR) / "tests/data/control" / name;
}

std::vector<std::byte> words_as_bytes(const std::string& name) {
  std::ifstream file(golden(name + ".bin"), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes(text.size());
  std::ranges::transform(text, bytes.begin(), [](char c) { return static_cast<std::byte>(c); });
  REQUIRE(!bytes.empty());
  return bytes;
}

// The design of each golden stream, and the file that holds it; equal streams are there once.
const std::vector<std::pair<std::string, std::string>> kStreams{
    {"bad_deadlock", "packet"},
    {"bad_lens", "pass"},
    {"bad_memchannel", "pass"},
    {"bad_neighbour45", "pass"},
    {"bad_oob", "pass"},
    {"bad_packetsend", "bad_packetsend"},
    {"bad_packetsend2", "bad_packetsend"},
    {"copy_npu1", "copy_npu1"},
    {"mixed", "mixed"},
    {"ok_flows6", "ok_flows6"},
    {"ok_neighbour", "pass"},
    {"packet", "packet"},
    {"packet2", "packet"},
    {"pass", "pass"},
    {"pass4d", "pass"},
    {"pass_npu2", "pass_npu2"},
};

constexpr TileId shim(int column) { return {TileKind::shim, column, 0}; }
constexpr TileId mem(int column) { return {TileKind::mem, column, 0}; }

// As mlir-aie describes a transfer of DDR: AXI bursts of 256 bytes on XDNA1, of 512 on XDNA2.
BufferDescriptor ddr(std::uint64_t offset_words, std::uint64_t length, int burst = 2) {
  BufferDescriptor d;
  d.address = offset_words;
  d.length = length;
  d.burst = burst;
  d.cache = 2;
  return d;
}

BufferDescriptor ddr_packet(std::uint64_t offset_words, std::uint64_t length, int id) {
  BufferDescriptor d = ddr(offset_words, length);
  d.packet = Packet{0, id};
  return d;
}

// dma_configure_task and dma_start_task of a shim in one go.
struct ShimTask {
  int column = 0;
  Direction direction = Direction::mm2s;
  int channel = 0;
  int descriptor = 0;
  std::uint32_t argument = 0;
};
void add_raw(ControlProgram& program, const ShimTask& t, const BufferDescriptor& content,
             bool has_token = false) {
  add_shim_descriptor(program, shim(t.column), t.descriptor, content, t.argument);
  add_task(program, {{shim(t.column), t.direction, t.channel}, t.descriptor, 1, has_token});
}

void await_output(ControlProgram& program, int column) {
  program.operations.emplace_back(WaitForTokens{{shim(column), Direction::s2mm, 0}, 1, 1});
}

// pass, pass4d, ok_neighbour, ... (4 columns), ok_flows6 (1 column), pass_npu2 (XDNA2).
ControlProgram pass(ArrayShape shape, int burst) {
  ControlProgram program{shape, {}};
  add_shim_descriptor(program, shim(0), 0, ddr(0, 1024, burst), 0);
  add_shim_descriptor(program, shim(0), 1, ddr(0, 1024, burst), 1);
  add_task(program, {{shim(0), Direction::mm2s, 0}, 0, 1, false});
  add_task(program, {{shim(0), Direction::s2mm, 0}, 1, 1, true});
  await_output(program, 0);
  return program;
}

ControlProgram mixed() {
  ControlProgram program{array_shape(npu1()), {}};
  BufferDescriptor to_mem;
  to_mem.length = 1024;
  to_mem.acquire = LockChange{kOwnMemTileLock, -1};
  to_mem.release = LockChange{kOwnMemTileLock + 1, 1};
  program.operations.emplace_back(WriteDescriptor{mem(1), 0, to_mem});
  program.operations.emplace_back(
      WriteMasked{descriptor_address(mem(1), 0) + 4, 1024, 0x7ffff});  // its address alone
  add_shim_descriptor(program, shim(1), 0, ddr(0, 1024), 0);
  add_shim_descriptor(program, shim(1), 1, ddr(0, 1024), 1);
  add_task(program, {{mem(1), Direction::s2mm, 0}, 0, 1, false});
  add_task(program, {{shim(1), Direction::mm2s, 0}, 0, 1, false});
  add_task(program, {{shim(1), Direction::s2mm, 0}, 1, 1, true});
  await_output(program, 1);
  return program;
}

// packet, packet2; bad_packetsend sends what no rule takes.
ControlProgram packet(int broadcast_id) {
  ControlProgram program{array_shape(npu1()), {}};
  for (int c = 0; c < 4; ++c) {
    add_raw(program, {c, Direction::s2mm, 0, 1, 1}, ddr(512u * static_cast<unsigned>(c), 512),
            true);
  }
  add_raw(program, {0, Direction::mm2s, 1, 2, 0}, ddr_packet(0, 256, broadcast_id));
  for (int c = 0; c < 4; ++c) {
    add_raw(program, {c, Direction::mm2s, 1, 3, 0},
            ddr_packet(256u * static_cast<unsigned>(c + 1), 256, c + 2));
  }
  for (int c = 0; c < 4; ++c) await_output(program, c);
  return program;
}

ControlProgram copy_npu1() {
  ControlProgram program{array_shape(npu1()), {}};
  const auto piece = [](int index) { return 256u * static_cast<unsigned>(index); };
  for (int c = 0; c < 4; ++c) {
    add_raw(program, {c, Direction::s2mm, 0, 0, 1}, ddr(4096u * static_cast<unsigned>(c), 4096),
            true);
  }
  for (int c = 0; c < 4; ++c) {
    add_raw(program, {c, Direction::mm2s, 0, 1, 0}, ddr(piece(c), 256));
  }
  for (int c = 0; c < 4; ++c) {
    add_raw(program, {c, Direction::mm2s, 1, 2, 0}, ddr_packet(piece(4 + c), 256, c + 1));
  }
  for (int c = 0; c < 4; ++c) {
    add_raw(program, {c, Direction::mm2s, 0, 4, 0}, ddr(piece(c), 256));
  }
  add_raw(program, {0, Direction::mm2s, 1, 3, 0}, ddr_packet(piece(8), 256, 5));
  for (int c = 0; c < 4; ++c) await_output(program, c);
  return program;
}

// A configuration in register writes, as tests/data/README.md says.
std::vector<Operation> configuration(const std::string& name) {
  std::ifstream file(golden(name + ".config"));
  std::vector<Operation> operations;
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string kind;
    words >> kind >> std::hex;
    std::vector<std::uint32_t> values;
    for (std::uint32_t value = 0; words >> value;) values.push_back(value);
    REQUIRE(values.size() >= 2);
    if (kind == "write") operations.emplace_back(WriteRegister{values[0], values[1]});
    if (kind == "masked") operations.emplace_back(WriteMasked{values[0], values[1], values.at(2)});
    if (kind == "block") {
      operations.emplace_back(WriteBlock{values[0], {values.begin() + 1, values.end()}});
    }
  }
  REQUIRE(!operations.empty());
  return operations;
}

// Operations of the list with types.
std::vector<Operation> typed(const std::vector<Operation>& operations) {
  return decode(encode({array_shape(npu1()), operations})).operations;
}

}  // namespace

TEST_CASE(
    "control program: the 16 golden streams come back byte for byte through typed operations") {
  CHECK(kStreams.size() == 16);
  for (const auto& [design, file] : kStreams) {
    const std::string name = design;
    CAPTURE(name);
    const std::vector<std::byte> bytes = words_as_bytes(file);
    const ControlProgram program = decode(bytes);
    CHECK(encode(program) == bytes);
    for (const Operation& operation : program.operations) {
      CHECK(!std::holds_alternative<WriteRegister>(operation));
      CHECK(!std::holds_alternative<WriteBlock>(operation));
      // mlir-aie writes the address of a mem tile's descriptor again, with a mask.
      CHECK((file == "mixed" || !std::holds_alternative<WriteMasked>(operation)));
    }
  }
}

TEST_CASE("control program: the same operations of our own give mlir-aie's bytes") {
  const ArrayShape one_column{3, 6, 1, 1};
  CHECK(encode(pass(array_shape(npu1()), 2)) == words_as_bytes("pass"));
  CHECK(encode(pass(one_column, 2)) == words_as_bytes("ok_flows6"));
  CHECK(encode(pass(array_shape(npu4()), 3)) == words_as_bytes("pass_npu2"));
  CHECK(encode(mixed()) == words_as_bytes("mixed"));
  CHECK(encode(packet(1)) == words_as_bytes("packet"));
  CHECK(encode(packet(9)) == words_as_bytes("bad_packetsend"));
  CHECK(encode(copy_npu1()) == words_as_bytes("copy_npu1"));
}

TEST_CASE(
    "control program: a routed design's descriptors, locks and tasks have types, and the same "
    "words") {
  for (const std::string name : {"pass", "packet", "overlay_npu1"}) {
    CAPTURE(name);
    const std::vector<Operation> raw = configuration(name);
    const ControlProgram program{array_shape(npu1()), typed(raw)};
    CHECK(encode(program) == encode({array_shape(npu1()), raw}));
    std::size_t n_descriptors = 0;
    for (const Operation& operation : program.operations) {
      CHECK(!std::holds_alternative<WriteBlock>(operation));
      n_descriptors += std::holds_alternative<WriteDescriptor>(operation) ? 1 : 0;
    }
    CHECK(n_descriptors == (name == "pass" ? 6 : name == "packet" ? 8 : 80));
  }
}

TEST_CASE("control program: the rings of a transposing copy, described by us, are mlir-aie's") {
  const TileId core{TileKind::core, 0, 0};
  const auto ring = [](std::uint64_t address, int first_lock, bool is_input, int next) {
    BufferDescriptor d;
    d.length = 1024;
    d.address = address;
    d.acquire = LockChange{is_input ? first_lock : first_lock + 1, -1};
    d.release = LockChange{is_input ? first_lock + 1 : first_lock, 1};
    d.next = next;
    return d;
  };
  BufferDescriptor transposed = ring(kOwnMemTileAddress, kOwnMemTileLock, false, 1);
  transposed.dimensions[0] = {32, 32};
  transposed.dimensions[1] = {32, 1};
  const std::uint64_t behind = kOwnMemTileAddress + 1024;
  const std::vector<Operation> expected{
      WriteDescriptor{core, 0, ring(0, 0, true, 0)},
      WriteDescriptor{core, 1, ring(0, 0, false, 1)},
      PushTask{{core, Direction::s2mm, 0}, 0, 1, false},
      PushTask{{core, Direction::mm2s, 0}, 1, 1, false},
      WriteDescriptor{mem(0), 0, ring(kOwnMemTileAddress, kOwnMemTileLock, true, 0)},
      WriteDescriptor{mem(0), 1, transposed},
      WriteDescriptor{mem(0), 24, ring(behind, kOwnMemTileLock + 2, true, 24)},
      WriteDescriptor{mem(0), 25, ring(behind, kOwnMemTileLock + 2, false, 25)},
      PushTask{{mem(0), Direction::s2mm, 0}, 0, 1, false},
      PushTask{{mem(0), Direction::mm2s, 0}, 1, 1, false},
      PushTask{{mem(0), Direction::s2mm, 1}, 24, 1, false},
      PushTask{{mem(0), Direction::mm2s, 1}, 25, 1, false},
  };
  std::vector<Operation> found;
  for (const Operation& operation : typed(configuration("pass"))) {
    const bool is_dma = std::holds_alternative<WriteDescriptor>(operation) ||
                        std::holds_alternative<PushTask>(operation);
    if (is_dma) found.push_back(operation);
  }
  CHECK((found == expected));
}
