// Refusals of a control program, by field and by byte, and the round trip of everything else.
#include "npu/control/control_program.h"

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/support/text.h"

using namespace wnpu::npu;  // NOLINT

namespace {

constexpr TileId kProgramShim{TileKind::shim, 1, 0};
constexpr TileId kProgramMem{TileKind::mem, 2, 0};
constexpr TileId kCore{TileKind::core, 3, 1};

std::string fault_of(const std::function<void()>& action) {
  return wnpu::tests::message_of<ControlError>([&] { action(); });
}

std::string fault_of(const Operation& operation) {
  return fault_of([&] { encode({array_shape(npu1()), {operation}}); });
}

std::string fault_of(TileKind kind, const BufferDescriptor& descriptor) {
  return fault_of([&] { encode_descriptor(kind, descriptor); });
}

std::string fault_of(const std::vector<std::byte>& bytes) {
  return fault_of([&] { decode(bytes); });
}

class ProgramRandom {
 public:
  explicit ProgramRandom(unsigned seed) : engine_(seed) {}
  std::uint32_t below(std::uint64_t n) {
    return static_cast<std::uint32_t>(
        std::uniform_int_distribution<std::uint64_t>(0, n - 1)(engine_));
  }
  int index(int n) { return static_cast<int>(below(static_cast<std::uint64_t>(n))); }
  bool coin() { return below(2) == 1; }

 private:
  std::mt19937_64 engine_;
};

TileId any_tile(ProgramRandom& random) {
  const int column = random.index(8);
  switch (random.index(3)) {
    case 0:
      return {TileKind::shim, column, 0};
    case 1:
      return {TileKind::mem, column, 0};
    default:
      return {TileKind::core, column, random.index(4)};
  }
}

DmaPort any_port(ProgramRandom& random) {
  const TileId tile = any_tile(random);
  return {tile, random.coin() ? Direction::s2mm : Direction::mm2s,
          random.index(dma_registers(tile.kind).n_channels)};
}

// Random descriptor with legal values throughout.
BufferDescriptor any_descriptor(ProgramRandom& random, TileKind kind) {
  const bool is_shim = kind == TileKind::shim;
  const bool is_mem = kind == TileKind::mem;
  BufferDescriptor d;
  d.length = random.below(is_shim ? 1ull << 32 : is_mem ? 1u << 17 : 1u << 14);
  d.address = random.below(is_shim ? 1ull << 30 : is_mem ? 1u << 19 : 1u << 14);
  const std::size_t n_dimensions = is_mem ? 4 : 3;
  const std::uint32_t max_step = is_shim ? 1u << 20 : is_mem ? 1u << 17 : 1u << 13;
  for (std::size_t i = 0; i < n_dimensions; ++i) {
    d.dimensions[i].step = 1 + random.below(max_step);
    if (i + 1 < n_dimensions)
      d.dimensions[i].wrap = random.below(kind == TileKind::core ? 256 : 1024);
  }
  for (std::size_t i = 0; is_mem && i < 3; ++i) {
    d.zeros_before[i] = random.below(64u >> i);
    d.zeros_after[i] = random.below(64u >> i);
  }
  d.iterations = 1 + random.below(64);
  d.iteration_step = 1 + random.below(max_step);
  d.iteration = random.below(64);
  const int n_locks = is_mem ? 192 : 16;
  if (random.coin()) d.acquire = LockChange{random.index(n_locks), random.index(128) - 64};
  if (random.coin()) d.release = LockChange{random.index(n_locks), 1 + random.index(63)};
  if (random.coin()) d.packet = Packet{random.index(8), random.index(32)};
  if (random.coin()) d.next = random.index(dma_registers(kind).n_descriptors);
  d.is_valid = random.coin();
  d.suppresses_tlast = random.coin();
  d.burst = is_shim ? random.index(4) : 0;
  d.cache = is_shim ? random.index(16) : 0;
  return d;
}

Operation any_operation(ProgramRandom& random) {
  const TileId tile = any_tile(random);
  const DmaRegisters& dma = dma_registers(tile.kind);
  switch (random.index(6)) {
    case 0:
      return WriteDescriptor{tile, random.index(dma.n_descriptors),
                             any_descriptor(random, tile.kind)};
    case 1:
      return PatchAddress{ddr_address_register({TileKind::shim, 2, 0}, random.index(16)),
                          random.below(5), random.below(1ull << 40)};
    case 2:
      return RouteTokens{any_port(random), random.index(32)};
    case 3: {
      const DmaPort port = any_port(random);
      return PushTask{port, random.index(dma_registers(port.tile.kind).n_descriptors),
                      1 + random.below(256), random.coin()};
    }
    case 4:
      return SetLock{tile, random.index(dma.n_locks), random.index(64)};
    default:
      return WaitForTokens{any_port(random), 1 + random.index(8), 1 + random.index(4)};
  }
}

std::vector<std::byte> golden_bytes(const std::string& name) {
  const auto path = std::filesystem::path(WNPU_SOURCE_DIR) / "tests/data/control" / name;
  std::ifstream file(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  std::vector<std::byte> bytes;
  for (const char c : text) bytes.push_back(static_cast<std::byte>(c));
  return bytes;
}

void set_word(std::vector<std::byte>& bytes, std::size_t word, std::uint32_t value) {
  for (std::size_t i = 0; i < 4; ++i)
    bytes[4 * word + i] = static_cast<std::byte>(value >> 8 * i & 0xff);
}

// A register holds the largest legal value and refuses the next.
template <typename Put>
void check_largest(TileKind kind, std::uint64_t largest, Put put) {
  BufferDescriptor d;
  put(d, largest);
  CHECK(fault_of(kind, d).empty());
  put(d, largest + 1);
  CHECK(!fault_of(kind, d).empty());
}

void check_widths(TileKind kind, const DmaLimits& limits) {
  using D = BufferDescriptor;
  const auto u32 = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
  const std::uint64_t step = limits.max_stride / 4;
  check_largest(kind, limits.max_bytes / 4, [](D& d, std::uint64_t n) { d.length = n; });
  check_largest(kind, step, [&](D& d, std::uint64_t n) { d.dimensions[1].step = u32(n); });
  check_largest(kind, step, [&](D& d, std::uint64_t n) { d.iteration_step = u32(n); });
  check_largest(kind, limits.max_wrap,
                [&](D& d, std::uint64_t n) { d.dimensions[0].wrap = u32(n); });
  check_largest(kind, kMaxIterations, [&](D& d, std::uint64_t n) { d.iterations = u32(n); });
  check_largest(kind, kPacketIds - 1, [](D& d, std::uint64_t n) {
    d.packet = Packet{0, static_cast<int>(n)};
  });
  const DmaRegisters& dma = dma_registers(kind);
  CHECK(dma.n_descriptors == limits.buffer_descriptors);
  CHECK(dma.n_locks == limits.locks);
  CHECK(dma.n_channels == limits.s2mm_channels);
  CHECK(dma.n_channels == limits.mm2s_channels);
}

}  // namespace

TEST_CASE("control program: any list of operations comes back as it was") {
  ProgramRandom random(23);
  for (int round = 0; round < 500; ++round) {
    ControlProgram program{array_shape(random.coin() ? npu1() : npu4()), {}};
    std::size_t bytes = 16;
    for (int i = random.index(20); i > 0; --i) {
      program.operations.push_back(any_operation(random));
      bytes += encoded_bytes(program.operations.back());
    }
    const std::vector<std::byte> encoded = encode(program);
    REQUIRE(encoded.size() == bytes);
    REQUIRE((decode(encoded) == program));
  }
}

TEST_CASE("control program: a stream cut anywhere is refused, with the byte") {
  const std::vector<std::byte> whole = golden_bytes("packet.bin");
  for (std::size_t n = 0; n < whole.size(); ++n) {
    const std::string fault =
        fault_of(std::vector(whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(n)));
    REQUIRE(fault.starts_with("control program: byte "));
    REQUIRE(fault.find("expected ") != std::string::npos);
    REQUIRE(fault.find(", found ") != std::string::npos);
  }
}

TEST_CASE("control program: a stream with any word changed is refused or comes back with it") {
  const std::vector<std::byte> whole = golden_bytes("mixed.bin");
  std::size_t n_refused = 0;
  for (std::size_t word = 0; word < whole.size() / 4; ++word) {
    for (const std::uint32_t value : {0u, 1u, 2u, 7u, 0x1000u, 0x7fffffffu, 0xffffffffu}) {
      std::vector<std::byte> bytes = whole;
      set_word(bytes, word, value);
      bool is_same = false;
      if (fault_of([&] { is_same = encode(decode(bytes)) == bytes; }).empty()) {
        REQUIRE(is_same);
      } else {
        ++n_refused;
      }
    }
  }
  CHECK(n_refused > 300);
}

TEST_CASE("control program: what is wrong with a stream is named") {
  std::vector<std::byte> bytes = golden_bytes("mixed.bin");
  set_word(bytes, 4, 4);
  CHECK(fault_of(bytes) ==
        "control program: byte 16: operation: expected 0, 1, 3, 0x80 or 0x81, found 0x00000004");
  bytes = golden_bytes("mixed.bin");
  set_word(bytes, 2, 12);
  CHECK(fault_of(bytes) == "control program: byte 8: number of operations: expected 11, found 12");
  bytes = golden_bytes("mixed.bin");
  set_word(bytes, 3, 404);
  CHECK(fault_of(bytes) ==
        "control program: byte 12: size of the program: expected 400, found 404");
  bytes = golden_bytes("mixed.bin");
  set_word(bytes, 0, 0x06030001);
  CHECK(fault_of(bytes) ==
        "control program: byte 0: version of the format: expected 0x00000100, found 0x00000001");
  bytes = golden_bytes("mixed.bin");
  set_word(bytes, 7, 0xfffffff0);
  CHECK(fault_of(bytes) ==
        "control program: byte 28: size of the operation: expected whole words, 16 to 384 bytes, "
        "found 4294967280");
  bytes.pop_back();
  CHECK(fault_of(bytes) ==
        "control program: byte 0: length: expected whole words of 4 bytes, found 399 bytes");
}

TEST_CASE("control program: registers that are not there are refused") {
  CHECK(fault_of(Operation{PushTask{{kProgramShim, Direction::mm2s, 2}, 0, 1, false}}) ==
        "shim(1,0) mm2s 2: channel: expected 0 to 1, found 2");
  CHECK(fault_of(Operation{PushTask{{kProgramMem, Direction::s2mm, 6}, 0, 1, false}}) ==
        "mem(2,0) s2mm 6: channel: expected 0 to 5, found 6");  // aie-opt lets this pass
  CHECK(fault_of(Operation{PushTask{{kProgramMem, Direction::s2mm, 0}, 48, 1, false}}) ==
        "mem(2,0): descriptor: expected 0 to 47, found 48");
  CHECK(fault_of(Operation{PushTask{{kProgramShim, Direction::mm2s, 0}, 0, 257, false}}) ==
        "shim(1,0) mm2s 0: repeats of a task: expected 1 to 256, found 257");
  CHECK(fault_of(Operation{SetLock{kCore, 16, 0}}) ==
        "core(3,1): lock: expected 0 to 15, found 16");
  CHECK(fault_of(Operation{SetLock{kProgramMem, 63, 64}}) ==
        "mem(2,0): value of lock 63: expected 0 to 63, found 64");
  CHECK(fault_of(Operation{SetLock{{TileKind::mem, 128, 0}, 0, 0}}) ==
        "mem(128,0): column: expected 0 to 127, found 128");
  CHECK(fault_of(Operation{RouteTokens{{kProgramShim, Direction::s2mm, 0}, 32}}) ==
        "shim(1,0) s2mm 0: controller: expected 0 to 31, found 32");
  CHECK(fault_of([] { ddr_address_register(kProgramMem, 0); }) ==
        "mem(2,0): expected a shim tile for an address in DDR");
}

TEST_CASE("buffer descriptor: what no register holds is refused, by field") {
  const auto with = [](auto change) {
    BufferDescriptor d;
    change(d);
    return d;
  };
  const BufferDescriptor wrapped = with([](auto& d) { d.dimensions[0].wrap = 1024; });
  CHECK(fault_of(TileKind::shim, wrapped) ==
        "shim descriptor: wrap of dimension 0: expected at most 1023, found 1024");
  CHECK(fault_of(TileKind::mem, wrapped) ==
        "mem-tile descriptor: wrap of dimension 0: expected at most 1023, found 1024");
  CHECK(fault_of(TileKind::core, wrapped) ==
        "core descriptor: wrap of dimension 0: expected at most 255, found 1024");
  CHECK(fault_of(TileKind::shim, with([](auto& d) { d.dimensions[3].step = 2; })) ==
        "shim descriptor: step of dimension 3: expected 1 to 1, found 2");
  CHECK(fault_of(TileKind::shim, with([](auto& d) { d.zeros_after[0] = 1; })) ==
        "shim descriptor: zeros after dimension 0: expected none, found 1");
  CHECK(fault_of(TileKind::mem, with([](auto& d) { d.iterations = 65; })) ==
        "mem-tile descriptor: iterations: expected 1 to 64, found 65");
  CHECK(fault_of(TileKind::mem, with([](auto& d) {
                   d.packet = Packet{0, 32};
                 })) == "mem-tile descriptor: packet id: expected at most 31, found 32");
  CHECK(fault_of(TileKind::mem, with([](auto& d) {
                   d.release = LockChange{192, 1};
                 })) == "mem-tile descriptor: lock to release: expected 0 to 191, found 192");
  CHECK(fault_of(TileKind::mem, with([](auto& d) { d.next = 48; })) ==
        "mem-tile descriptor: next descriptor: expected 0 to 47, found 48");
  CHECK(fault_of(TileKind::core, with([](auto& d) {
                   d.release = LockChange{0, 64};
                 })) == "core descriptor: value to release: expected -64 to 63, found 64");
  CHECK(fault_of(TileKind::core, with([](auto& d) { d.burst = 1; })) ==
        "core descriptor: burst: expected none, found 1");
}

TEST_CASE("buffer descriptor: the widths of registers are the limits that designs are held to") {
  for (const Target* target : {&npu1(), &npu4()}) {
    check_widths(TileKind::shim, target->shim_dma);
    check_widths(TileKind::mem, target->mem_dma);
    check_widths(TileKind::core, target->core_dma);
  }
}
