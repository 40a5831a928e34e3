// Start of a call: lock values and phase headers: their bytes, how they come into the cores, and
// that cores act on nothing else.
#include "npu/control/call_start.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <random>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"
#include "tests/npu/probe_design.h"
#include "tests/npu/small_design.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using wnpu::tests::first_problem;
using namespace wnpu::npu;
using wnpu::tests::has;
using wnpu::tests::preset;
using wnpu::tests::small_design;

namespace {

SimReport run_started_call(const Design& design, const CallProgram& program) {
  return simulate(encoded_call(design, program.program), {&preset()}, {});
}

std::string call_fault(const Design& design, const CallProgram& program) {
  return wnpu::tests::message_of<SimulationError>([&] { run_started_call(design, program); });
}

constexpr std::size_t kCores = 16;

// Operations before the first task: one a lock of a mem tile, two a core.
std::size_t start_count(const Design& d) { return d.locks.size() + 2 * kCores; }

std::size_t first_block(const CallProgram& program) {
  const auto is_block = [](const Operation& o) { return std::holds_alternative<WriteBlock>(o); };
  const auto& operations = program.program.operations;
  return static_cast<std::size_t>(std::ranges::find_if(operations, is_block) - operations.begin());
}

WriteBlock& block_of(CallProgram& program, std::size_t core) {
  return std::get<WriteBlock>(program.program.operations[first_block(program) + 2 * core]);
}

SetLock& lock_of(CallProgram& program, std::size_t core) {
  return std::get<SetLock>(program.program.operations[first_block(program) + 2 * core + 1]);
}

}  // namespace

TEST_CASE("phase headers: the layout, bit by bit") {
  PhaseHeader p;
  p.kernel = Kernel::attention;
  p.epilogue = Epilogue::bias_residual;
  p.quantised_output = true;
  p.outer = 0x0102;
  p.inner = 0x0304;
  p.m = 0x0506;
  p.k = 0x0708;
  p.n = 0x090a;
  p.valid = 0x0b0c;
  const PhaseWords w = encode_phase(p);
  CHECK(w.words[0] == 0x00010203);
  CHECK(w.words[1] == 0x03040102);
  CHECK(w.words[2] == 0x07080506);
  CHECK(w.words[3] == 0x0b0c090a);
  CHECK(encode_call({0x0102, 3, 4}) == 0x04030102);
  CHECK(header_at(0) == 1);
  CHECK(header_at(kMaxPhases) * sizeof(std::uint32_t) == kHeadersBytes);
}

TEST_CASE("phase headers: every phase comes back from its words, other words are no phase") {
  std::mt19937 random(23);
  const auto below = [&](std::uint32_t n) { return static_cast<std::uint32_t>(random() % n); };
  for (int i = 0; i < 1000; ++i) {
    PhaseHeader p;
    p.kernel = static_cast<Kernel>(below(kKernels));
    p.epilogue = static_cast<Epilogue>(below(kEpilogues));
    p.quantised_output = below(2) == 1;
    for (std::uint32_t* field : {&p.outer, &p.inner, &p.m, &p.k, &p.n, &p.valid}) {
      *field = below(kMostInHeader + 1);
    }
    PhaseWords w = encode_phase(p);
    REQUIRE(is_phase(w.words));
    REQUIRE(decode_phase(w.words) == p);
    const CallHeader call{below(kMostInHeader + 1), below(256), below(256)};
    REQUIRE(decode_call(encode_call(call)) == call);
    w.words[0] |= 1u << (17 + below(15));
    REQUIRE(!is_phase(w.words));
  }
  const std::uint32_t kernel[kPhaseWords] = {kKernels};
  const std::uint32_t epilogue[kPhaseWords] = {kEpilogues << 8};
  CHECK(!is_phase(kernel));
  CHECK(!is_phase(epilogue));
}

TEST_CASE("phase headers: each core has all of a call's, with its column, and then its lock") {
  const Design design = small_design(Precision::int8);
  CallProgram program = compile_call(design, preset()).program;
  std::map<std::pair<int, int>, int> seen;
  for (std::size_t core = 0; core < kCores; ++core) {
    const WriteBlock& block = block_of(program, core);
    const SetLock& lock = lock_of(program, core);
    const auto place = data_at(block.address);
    REQUIRE(place);
    CHECK(place->offset == kHeaders);
    CHECK(place->core == lock.tile);
    CHECK(lock.lock == kHeaderLock);
    CHECK(lock.value == 1);
    ++seen[{place->core.column, place->core.row}];
    REQUIRE(block.words.size() == header_at(static_cast<std::uint32_t>(design.phases.size())));
    const CallHeader call = decode_call(block.words[0]);
    CHECK(call.phases == design.phases.size());
    CHECK(call.column == static_cast<std::uint32_t>(place->core.column));
    CHECK(call.columns == 4);
    for (std::uint32_t i = 0; i < call.phases; ++i) {
      const PhaseHeader& expected = design.phases[i];
      CHECK(decode_phase(&block.words[header_at(i)]) == expected);
    }
  }
  CHECK(seen.size() == 16);
  for (std::size_t i = start_count(design); i < program.program.operations.size(); ++i) {
    CHECK(!std::holds_alternative<WriteBlock>(program.program.operations[i]));
    CHECK(!std::holds_alternative<SetLock>(program.program.operations[i]));
  }
}

TEST_CASE("phase headers: a core begins when the controller has written its own") {
  const Design design = small_design(Precision::int8);
  CallProgram program = compile_call(design, preset()).program;
  const SimReport report = run_started_call(design, program);
  const ControllerCosts& costs = phoenix_controller();
  const double words = header_at(static_cast<std::uint32_t>(design.phases.size()));
  const double one = 2 * costs.write.value + words * costs.block_word.value;
  const double locks = static_cast<double>(design.locks.size()) * costs.write.value;
  for (std::size_t core = 0; core < report.cores.size(); ++core) {
    CHECK(report.cores[core].waiting_header ==
          doctest::Approx(locks + static_cast<double>(core + 1) * one));
  }
}

TEST_CASE("phase headers: cores act on the bytes that were written") {
  const Design design = small_design(Precision::int8);
  CallProgram other = compile_call(design, preset()).program;
  // In the last phase one core believes in one result more.
  block_of(other, 5).words[header_at(static_cast<std::uint32_t>(design.phases.size()) - 1) + 1] +=
      1;
  const std::string fault = call_fault(design, other);
  CHECK(has(fault, "deadlock: "));
  CHECK(has(fault, "core(1,1) waits for port"));
}

TEST_CASE("locks of mem tiles: a call sets all of them first, and there are no others") {
  const Design design = small_design(Precision::int8);
  const CallProgram program = compile_call(design, preset()).program;
  std::set<std::pair<int, int>> seen;
  for (std::size_t i = 0; i < design.locks.size(); ++i) {
    const auto& set = std::get<SetLock>(program.program.operations[i]);
    CHECK(set.tile == design.locks[i].tile);
    CHECK(set.value == design.locks[i].initial);
    CHECK(seen.emplace(set.tile.column, set.lock).second);
  }
  CallProgram forgotten = program;
  std::get<SetLock>(forgotten.program.operations[0]).value = 0;  // of a ring: free slots
  CHECK(has(call_fault(design, forgotten), "deadlock: "));
  CallProgram foreign = program;
  std::get<SetLock>(foreign.program.operations[0]).lock = 63;
  CHECK(
      has(call_fault(design, foreign), "expected one that the controller has set, found number "));
}

TEST_CASE("phase headers: what goes wrong with them is found where it happens") {
  const Design design = small_design(Precision::int8);
  const CallProgram program = compile_call(design, preset()).program;
  CallProgram other = program;
  lock_of(other, 0).value = 0;
  CHECK(has(call_fault(design, other), "core(0,0) waits for the headers"));
  other = program;
  lock_of(other, 3).lock = kHeaderLock + 1;
  CHECK(has(call_fault(design, other), "core(3,0): the controller sets a lock: expected number 6"));
  other = program;
  block_of(other, 3).address -= 4;
  CHECK(has(call_fault(design, other), "core(3,0): the controller writes to data memory"));
  other = program;
  block_of(other, 3).words[header_at(0)] = kKernels;
  CHECK(has(call_fault(design, other), "core(3,0): header of phase 0: expected a known kernel"));
  other = program;
  block_of(other, 3).words[0] += 1;
  const std::string phases = std::to_string(design.phases.size());
  CHECK(has(call_fault(design, other), "core(3,0): header of phase " + phases + ": expected"));
  other = program;
  block_of(other, 3).words[0] = encode_call({kMaxPhases + 1, 3, 4});
  CHECK(has(call_fault(design, other), "core(3,0): headers: expected at most 64 phases, found 65"));
}

TEST_CASE("phase headers: a program may not end while headers are still to be read") {
  const Design design = small_design(Precision::int8);
  CallProgram program = compile_call(design, preset()).program;
  program.program.operations.resize(start_count(design));
  CHECK(has(call_fault(design, program), "expected its last phase when the control program ends"));
}

TEST_CASE("phase headers: check refuses too many phases and fields that do not fit") {
  Design d = row_design(npu1(), RowOp::gelu, {64, 100});
  CHECK(first_problem(d) == "");
  d.phases.resize(kMaxPhases + 1, d.phases.front());
  CHECK(first_problem(d) == "core(0,0): headers: expected at most 64 phases, found 65 phases");
  CHECK_THROWS_AS(start_operations(d), ControlError);
  for (std::uint32_t PhaseHeader::*field :
       {&PhaseHeader::outer, &PhaseHeader::inner, &PhaseHeader::m, &PhaseHeader::k, &PhaseHeader::n,
        &PhaseHeader::valid}) {
    d.phases.resize(1);
    PhaseHeader& p = d.phases.front();
    const std::uint32_t before = p.*field;
    p.*field = 65535;
    CHECK(header_fault(d.phases.front()).empty());
    p.*field = 65536;
    CHECK(has(header_fault(d.phases.front()), "expected at most 65535, found 65536"));
    CHECK(has(first_problem(d), "expected at most 65535, found 65536"));
    CHECK_THROWS_AS(start_operations(d), ControlError);
    p.*field = before;
  }
  d.core.buffers.resize(kPorts);
  CHECK(first_problem(d) == "core memory: expected buffers of the ports and the headers, found 3");
}
