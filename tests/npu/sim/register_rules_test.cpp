// Register errors that the simulator refuses and silicon would answer by a lost task, a wrong byte
// or silence, in small programs on the layer's overlay.
#include <cstdint>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/control/call_start.h"
#include "npu/design/layer_design.h"
#include "npu/design/overlay.h"
#include "tests/npu/shim_tasks.h"
#include "tests/npu/sim/program_runs.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;
using wnpu::tests::has;
using wnpu::tests::preset;

namespace {

constexpr TileId kShim{TileKind::shim, 0, 0};
constexpr TileId kMem{TileKind::mem, 0, 0};
constexpr DmaPort kFromShim{kShim, Direction::mm2s, 0};  // link a_in0, to the next
constexpr DmaPort kToMem{kMem, Direction::s2mm, 0};
constexpr DmaPort kPacketShim{kShim, Direction::mm2s, 1};
constexpr DmaPort kFromMem{kMem, Direction::mm2s, 2};  // link c_out0, to the next
constexpr DmaPort kToShim{kShim, Direction::s2mm, 0};
constexpr std::size_t kArgumentBytes = 4096;

BufferDescriptor words(std::uint64_t length, std::uint64_t address) {
  BufferDescriptor d;
  d.length = length;
  d.address = address;
  return d;
}

// A program whose cores have no phases; tests add what channels do.
class Registers {
 public:
  Registers() {
    Design d = row_design(npu1(), RowOp::gelu, {64, 100});
    d.phases.clear();
    d.locks.clear();
    call_ = encoded_call(d, {});
    call_.argument_bytes = {kArgumentBytes, kArgumentBytes};
    program_ = {array_shape(npu1()), start_operations(d)};
  }

  template <typename T>
  Registers& add(const T& operation) {
    program_.operations.emplace_back(operation);
    return *this;
  }
  Registers& shim(int id, const BufferDescriptor& d, std::uint32_t argument = 0) {
    add_shim_descriptor(program_, kShim, id, d, argument);
    return *this;
  }
  Registers& mem(int id, const BufferDescriptor& d) { return add(WriteDescriptor{kMem, id, d}); }
  Registers& push(const DmaPort& port, int id, std::uint32_t repeats = 1) {
    return add(PushTask{port, id, repeats, false});
  }
  // Waits for all that was given to `port` before.
  Registers& push_and_wait(const DmaPort& port, int id) {
    add(RouteTokens{port, port.tile.kind == TileKind::shim ? kShimTokens : kMemTokens});
    add(PushTask{port, id, 1, true});
    return add(WaitForTokens{port, 1, 1});
  }

  std::string fault() {
    call_.program = encode(program_);
    try {
      simulate(call_, {&preset()}, {});
    } catch (const SimulationError& error) {
      return error.what();
    }
    return "";
  }
  // The second argument, after the first has been counted up word by word.
  std::vector<std::uint32_t> result() {
    call_.program = encode(program_);
    std::vector<std::uint32_t> in(kArgumentBytes / 4);
    std::vector<std::uint32_t> out(kArgumentBytes / 4);
    for (std::size_t i = 0; i < in.size(); ++i) in[i] = static_cast<std::uint32_t>(i);
    const std::vector<std::span<std::byte>> arguments{std::as_writable_bytes(std::span(in)),
                                                      std::as_writable_bytes(std::span(out))};
    WorkerPool pool(1);
    simulate(call_, {&preset()}, {arguments, &pool});
    return out;
  }

 private:
  EncodedCall call_;
  ControlProgram program_;
};

// 64 words from the first argument to the mem tile and on to the second.
Registers through(const BufferDescriptor& from_shim, const BufferDescriptor& to_mem,
                  const BufferDescriptor& from_mem, const BufferDescriptor& to_shim) {
  Registers r;
  r.add(SetLock{kMem, 0, 0});
  r.shim(0, from_shim).mem(0, to_mem).mem(1, from_mem).shim(1, to_shim, 1);
  r.push(kFromShim, 0).push(kToMem, 0).push(kFromMem, 1).push_and_wait(kToShim, 1);
  return r;
}

BufferDescriptor given(BufferDescriptor d) {
  d.release = LockChange{kOwnMemTileLock, 1};
  return d;
}
BufferDescriptor taken(BufferDescriptor d) {
  d.acquire = LockChange{kOwnMemTileLock, -1};
  return d;
}

}  // namespace

TEST_CASE("registers: a pattern of four dimensions, word by word") {
  BufferDescriptor scatter = given(words(64, kOwnMemTileAddress + 100));
  scatter.dimensions = {{{2, 1}, {4, 16}, {2, 2}, {0, 64}}};
  const BufferDescriptor gather = taken(words(256, kOwnMemTileAddress + 100));
  const std::vector<std::uint32_t> out =
      through(words(64, 32), scatter, gather, words(256, 64)).result();
  for (std::uint32_t i = 0; i < 64; ++i) {
    const std::uint32_t at = i % 2 + i / 2 % 4 * 16 + i / 8 % 2 * 2 + i / 16 * 64;
    CHECK(out[64 + at] == 32 + i);
  }
  CHECK(out[64 + 4] == 0xffffffff);  // nobody wrote it: poison
}

TEST_CASE("registers: both ends may cut a stream in other places") {
  Registers r;
  r.add(SetLock{kMem, 0, 0});
  BufferDescriptor first = words(24, kOwnMemTileAddress);
  first.next = 2;
  r.shim(0, words(64, 0)).mem(0, first).mem(2, given(words(40, kOwnMemTileAddress + 24)));
  BufferDescriptor part = taken(words(16, kOwnMemTileAddress));
  part.acquire.reset();
  part.iterations = 4;
  part.iteration_step = 16;
  BufferDescriptor whole = taken(words(1, kOwnMemTileAddress));
  whole.next = 1;
  r.mem(1, part).mem(3, whole);
  r.shim(1, words(65, 0), 1);
  r.push(kFromShim, 0).push(kToMem, 0).push(kFromMem, 3).push(kFromMem, 1, 3);
  const std::vector<std::uint32_t> result = r.push_and_wait(kToShim, 1).result();
  CHECK(result[0] == 0);
  for (std::uint32_t i = 0; i < 64; ++i) CHECK(result[1 + i] == i);
}

TEST_CASE("registers: a fifth task in a queue is lost") {
  Registers r;
  r.mem(0, words(4, kOwnMemTileAddress));
  for (int i = 0; i < 4; ++i) r.push(kToMem, 0);
  CHECK(has(r.push(kToMem, 0).fault(), "mem(0,0) s2mm 0: a task: expected at most 4"));
}

TEST_CASE("registers: tasks of descriptors that are not ready") {
  CHECK(has(Registers().push(kToMem, 0).fault(), "expected one that was written, found none"));
  BufferDescriptor d = words(4, kOwnMemTileAddress);
  d.is_valid = false;
  CHECK(has(Registers().mem(0, d).push(kToMem, 0).fault(), "expected one that is valid"));
  d.is_valid = true;
  d.next = 1;
  CHECK(has(Registers().mem(0, d).push(kToMem, 0).fault(), "descriptor 1: expected one that was"));
  d.next = 0;
  CHECK(has(Registers().mem(0, d).push(kToMem, 0).fault(), "expected a chain that ends"));
  d.next.reset();
  CHECK(has(Registers().mem(24, d).push(kToMem, 24).fault(), "expected one from 0 on, of 24"));
  Registers unpatched;
  unpatched.add(WriteDescriptor{kShim, 0, words(4, 0)}).push(kFromShim, 0);
  CHECK(has(unpatched.fault(), "expected the address of an argument"));
  Registers in_use;
  in_use.mem(0, words(4, kOwnMemTileAddress)).push(kToMem, 0);
  CHECK(has(in_use.mem(0, words(4, kOwnMemTileAddress)).fault(), "expected no task that uses it"));
}

TEST_CASE("registers: what a descriptor cannot mean") {
  const auto fault = [](BufferDescriptor d) {
    return Registers().mem(0, d).push_and_wait(kToMem, 0).fault();
  };
  BufferDescriptor d = words(64, kOwnMemTileAddress);
  CHECK(has(fault(words(0, kOwnMemTileAddress)), "length: expected a word or more"));
  CHECK(has(fault(words(8, 0)), "address: expected words of one mem tile within reach"));
  CHECK(has(fault(words(8, 2 * kOwnMemTileAddress - 4)), "expected words of one mem tile"));
  CHECK(has(fault(words(8, 3 * kOwnMemTileAddress)), "expected words of one mem tile"));
  d.dimensions[0] = {5, 1};
  CHECK(has(fault(d), "length: expected a multiple of its wraps"));
  d = words(64, kOwnMemTileAddress);
  d.iteration = 1;
  CHECK(has(fault(d), "iteration: expected one of 1"));
  d = words(64, kOwnMemTileAddress);
  d.zeros_before[1] = 1;
  CHECK(has(fault(d), "expected no zeros"));
  d = words(64, kOwnMemTileAddress);
  d.packet = Packet{0, 1};
  CHECK(has(fault(d), "packet: expected none where words come in"));
  CHECK(
      has(Registers().shim(0, words(8, kArgumentBytes / 4 - 7)).push_and_wait(kFromShim, 0).fault(),
          "argument 0: expected an end at byte 4096 or before, found 4100"));
  CHECK(has(Registers().shim(0, words(8, 0), 2).fault(), "expected one of 2 arguments"));
}

TEST_CASE("registers: packets that no stream carries") {
  BufferDescriptor d = words(8, 0);
  CHECK(has(Registers().shim(0, d).push_and_wait(kPacketShim, 0).fault(),
            "packet: expected that of one of"));
  d.packet = Packet{0, 9};
  CHECK(has(Registers().shim(0, d).push_and_wait(kPacketShim, 0).fault(), "found id 9"));
  CHECK(has(Registers().shim(0, d).push_and_wait(kFromShim, 0).fault(), "found id 9"));
}

TEST_CASE("registers: locks") {
  const auto fault = [](int value, LockChange take, LockChange give) {
    BufferDescriptor in = words(8, kOwnMemTileAddress);
    in.acquire = take;
    in.release = give;
    Registers r;
    r.add(SetLock{kMem, 0, value}).add(SetLock{kMem, 1, 0});
    r.shim(0, words(8, 0)).mem(0, in).push(kFromShim, 0);
    return r.push_and_wait(kToMem, 0).fault();
  };
  const LockChange other{kOwnMemTileLock + 1, 1};
  CHECK(fault(1, {kOwnMemTileLock, -1}, other) == "");
  CHECK(has(fault(1, {kOwnMemTileLock, -2}, other), "deadlock"));
  CHECK(has(fault(1, {kOwnMemTileLock, 1}, other), "lock to take: expected a negative value"));
  CHECK(
      has(fault(1, {kOwnMemTileLock + 2, -1}, other), "expected one that the controller has set"));
  CHECK(has(fault(1, {0, -1}, other), "lock: expected one of a tile within reach"));
  CHECK(has(fault(63, {kOwnMemTileLock + 1, -0x40}, other), "deadlock"));
  CHECK(has(fault(1, {kOwnMemTileLock, -1}, {kOwnMemTileLock + 1, -1}),
            "expected a value of 0 to 63, found -1"));
  BufferDescriptor full = words(8, kOwnMemTileAddress);
  full.release = LockChange{kOwnMemTileLock, 1};
  Registers r;
  r.add(SetLock{kMem, 0, 63}).shim(0, words(8, 0)).mem(0, full).push(kFromShim, 0);
  CHECK(has(r.push_and_wait(kToMem, 0).fault(), "expected a value of 0 to 63, found 64"));
}

TEST_CASE("registers: tokens that are not sent, not awaited or not the firmware's") {
  const auto start = [] {
    Registers r;
    return r.shim(0, words(8, 0)).mem(0, words(8, kOwnMemTileAddress)).push(kFromShim, 0);
  };
  Registers silent = start();
  silent.add(RouteTokens{kToMem, kMemTokens}).push(kToMem, 0);
  CHECK(has(silent.add(WaitForTokens{kToMem, 1, 1}).fault(), "deadlock: the controller waits at"));
  for (const int packet : {0, kShimTokens}) {  // with no route, or another tile's
    Registers astray = start();
    astray.add(RouteTokens{kToMem, packet}).add(PushTask{kToMem, 0, 1, true});
    CHECK(has(astray.add(WaitForTokens{kToMem, 1, 1}).fault(), "for a task of mem(0,0) s2mm 0"));
  }
  Registers twice = start();
  twice.push_and_wait(kToMem, 0);
  CHECK(twice.fault() == "");
  CHECK(has(twice.add(WaitForTokens{kToMem, 1, 1}).fault(), "deadlock: the controller waits"));
  Registers left = start();
  left.add(RouteTokens{kFromMem, kMemTokens}).mem(1, words(8, kOwnMemTileAddress));
  left.shim(1, words(8, 0), 1).add(PushTask{kFromMem, 1, 1, true}).push_and_wait(kToShim, 1);
  left.push_and_wait(kToMem, 0);
  CHECK(has(left.fault(), "mem(0,0) mm2s 2: tokens: expected none that nobody has waited for"));
}

TEST_CASE("registers: a program may not end while channels have tasks") {
  Registers r;
  r.mem(0, words(8, kOwnMemTileAddress)).push(kToMem, 0);
  CHECK(has(r.fault(), "expected no task when the control program ends"));
}

TEST_CASE("registers: writes to nothing that is known") {
  CHECK(has(Registers().add(WriteRegister{0x1D1F0, 1}).fault(), "a write: expected a lock's"));
  CHECK(has(Registers().add(WriteMasked{0x1D200, 1, 1}).fault(), "a masked write: expected"));
  CHECK(has(Registers().add(WriteBlock{0x100, {1, 2}}).fault(), "a block: expected"));
  CHECK(has(Registers().push({kMem, Direction::mm2s, 5}, 24).fault(), "expected a channel of the"));
  CHECK(has(Registers().add(SetLock{{TileKind::core, 5, 0}, kHeaderLock, 1}).fault(),
            "core(5,0): expected one of 4 columns"));
}
