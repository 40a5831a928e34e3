// The program of a core, run on the host against scripted DMAs: it takes, releases and computes
// what the recorded steps say, whatever the pace of the DMAs, and makes the simulator's bits.
#include <algorithm>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/control/call_start.h"
#include "npu/core/resident_program.h"
#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"
#include "npu/sim/tile_tasks.h"
#include "tests/few_samples.h"
#include "tests/npu/core/scripted_core.h"
#include "tests/support/tile_layout.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

using tests::Element;
using tests::Elements;
using tests::Pace;
using tests::ScriptedCore;
using Log = ScriptedCore::Log;

struct HostKernels {
  static const kernel::TileKernels& table() { return kernel::array_kernels(); }
};

std::string task_text(Task task, std::uint32_t step) {
  return "task " + std::to_string(static_cast<int>(task)) + " " + std::to_string(step);
}

// CoreTasks that says what it does.
class LoggedTasks {
 public:
  LoggedTasks(std::byte* memory, Log& log) : tasks_(memory), log_(&log) {}
  void run(const PhaseHeader& p, Task task, std::uint32_t step, Slots slots) const {
    log_->push_back(task_text(task, step));
    const kernel::ArrayFloatMode mode;
    tasks_.run(p, task, step, slots);
  }

 private:
  CoreTasks<HostKernels> tasks_;
  Log* log_;
};

// One core's calls, each its header words.
struct Calls {
  std::vector<std::vector<std::uint32_t>> headers;
  Elements elements;
};

// Headers of a call in decoded form.
struct PlainCall {
  CallHeader header;
  std::vector<PhaseHeader> phases;
};

struct ResidentOutcome {
  std::vector<Element> results;
  Log log;
};

ResidentOutcome run_program(const Calls& calls, Pace pace) {
  ResidentOutcome outcome;
  ScriptedCore core(calls.elements, pace, outcome.log);
  ResidentProgram program(core.memory(), core, LoggedTasks(core.memory(), outcome.log));
  int lock = 0;
  for (const auto& words : calls.headers) {
    core.write_headers(words);
    program.run_call();
    lock += core.lock_value(kHeaderLock);
  }
  outcome.results = core.results();
  REQUIRE(lock == 0);
  REQUIRE(!core.has_elements_left());
  return outcome;
}

std::vector<std::uint32_t> words_of(const CallHeader& call,
                                    const std::vector<PhaseHeader>& phases) {
  std::vector<std::uint32_t> words{encode_call(call)};
  for (const PhaseHeader& p : phases) {
    const PhaseWords more = encode_phase(p);
    words.insert(words.end(), std::begin(more.words), std::end(more.words));
  }
  return words;
}

// Runs recorded steps one after the other, with the kernels as the simulator calls them.
class Replay {
 public:
  explicit Replay(Elements elements) : in_(std::move(elements)), memory_(65536, std::byte{0xff}) {}

  void run(const PlainCall& call) {
    outcome.log.push_back("acquire " + std::to_string(kHeaderLock));
    for (const PhaseHeader& p : call.phases) run_phase(p, call.header);
  }
  ResidentOutcome outcome;
  std::vector<std::size_t> result_bytes;

 private:
  void run_phase(const PhaseHeader& p, const CallHeader& call) {
    for (const Step& step : phase_steps(p, call)) {
      if (step.kind == Step::Kind::take) take(step);
      if (step.kind == Step::Kind::release) release(step);
      if (step.kind == Step::Kind::compute) {
        outcome.log.push_back(task_text(step.task, step.index));
        run_task(p, step, memory_, {});
      }
    }
  }
  void take(const Step& step) {
    outcome.log.push_back("acquire " + std::to_string(step.port == Port::c ? free_lock(Port::c)
                                                                           : full_lock(step.port)));
    if (step.port == Port::c) return;
    auto& queue = step.port == Port::a ? in_.a : in_.b;
    std::byte* const to = &memory_[step.port == Port::a ? kPortA : kPortB];
    std::fill_n(to, kElementBytes, std::byte{0xff});
    std::ranges::copy(queue.front(), to);
    queue.pop_front();
  }
  void release(const Step& step) {
    outcome.log.push_back("release " + std::to_string(step.port == Port::c ? full_lock(Port::c)
                                                                           : free_lock(step.port)));
    if (step.port != Port::c) return;
    const std::byte* const from = &memory_[kPortC];
    outcome.results.emplace_back(from, from + kElementBytes);
    result_bytes.push_back(step.bytes);
  }

  Elements in_;
  std::vector<std::byte> memory_;
};

std::size_t takes(const std::vector<Step>& steps, Port port) {
  return static_cast<std::size_t>(std::ranges::count_if(
      steps, [&](const Step& s) { return s.kind == Step::Kind::take && s.port == port; }));
}

class RandomCalls {
 public:
  explicit RandomCalls(unsigned seed) : random_(seed) {}

  void add_calls() {
    for (std::uint32_t n = 1 + below(3); n > 0; --n) {
      PlainCall call;
      call.phases.resize(below(4));
      call.header = {static_cast<std::uint32_t>(call.phases.size()), below(4), 4};
      for (PhaseHeader& p : call.phases) {
        p = phase();
        add_elements(phase_steps(p, call.header));
      }
      calls.headers.push_back(words_of(call.header, call.phases));
      plain.push_back(call);
    }
  }
  Calls calls;
  std::vector<PlainCall> plain;

 private:
  void add_elements(const std::vector<Step>& steps) {
    for (std::size_t i = takes(steps, Port::a); i > 0; --i) calls.elements.a.push_back(element());
    for (std::size_t i = takes(steps, Port::b); i > 0; --i) calls.elements.b.push_back(element());
  }
  std::uint32_t below(std::uint32_t n) { return static_cast<std::uint32_t>(random_() % n); }
  PhaseHeader phase() {
    PhaseHeader p;
    p.kernel = static_cast<Kernel>(below(kKernels));
    p.epilogue = static_cast<Epilogue>(below(kEpilogues));
    p.outer = 1 + below(3);
    p.inner = 1 + below(4);
    p.m = 8 * (1 + below(8));
    p.k = 8 * (1 + below(8));
    p.n = 16 * (1 + below(4));
    if (p.kernel == Kernel::layer_norm) {
      p.m = 1 + below(8);
      p.k = 16 * (1 + below(32));
      p.quantised_output = below(2) == 1;
    } else if (p.kernel == Kernel::gelu) {
      p.m = 4;
      p.k = 64 * (1 + below(16));
    } else if (p.kernel == Kernel::attention) {
      p.m = 8 * (1 + below(6));
      p.k = 64;
      p.n = 16 * (1 + below(2));
      p.valid = 1 + below(p.n * p.inner);
    } else {
      p.k = 64;  // an element of weights holds the parameters
    }
    REQUIRE(phase_fault(p).empty());
    return p;
  }
  // Element of 8 KB: numbers that are small as bf16, as float and as int8.
  Element element() {
    const auto values = tests::random_bf16(kElementBytes / 2, random_());
    const auto bytes = std::as_bytes(std::span(values));
    return {bytes.begin(), bytes.end()};
  }

  std::mt19937 random_;
};

bool same_bytes(const Element& x, const Element& y, std::size_t n) {
  return std::equal(x.begin(), x.begin() + static_cast<std::ptrdiff_t>(n), y.begin());
}

bool has_results_of(const ResidentOutcome& outcome, const Replay& replay) {
  bool is_same = outcome.results.size() == replay.outcome.results.size();
  for (std::size_t i = 0; is_same && i < outcome.results.size(); ++i) {
    is_same = same_bytes(outcome.results[i], replay.outcome.results[i], replay.result_bytes[i]);
  }
  return is_same;
}

// ---- against simulate() -------------------------------------------------------------------------

// Header words that the control program of a design writes to a core.
std::vector<std::uint32_t> header_words(const Design& design, TileId core) {
  for (const Operation& operation : start_operations(design)) {
    const auto* block = std::get_if<WriteBlock>(&operation);
    if (block != nullptr && data_at(block->address)->core == core) return block->words;
  }
  return {};
}

class Arguments {
 public:
  explicit Arguments(const Design& design) {
    for (std::size_t i = 0; i < design.n_arguments(); ++i) {
      const auto values = tests::random_bf16(design.memories[i].bytes / 2, 100 + i);
      const auto bytes = std::as_bytes(std::span(values));
      owned_.emplace_back(bytes.begin(), bytes.end());
    }
    for (auto& argument : owned_) spans_.emplace_back(argument);
  }
  Element piece(std::size_t argument, std::size_t offset, std::size_t bytes) const {
    const auto begin = owned_[argument].begin() + static_cast<std::ptrdiff_t>(offset);
    return {begin, begin + static_cast<std::ptrdiff_t>(bytes)};
  }
  void simulate_on(const Design& design) {
    const HardwareModel preset = find_preset(kDefaultPreset);
    WorkerPool pool(1);
    const ControlProgram program = compile_call(design, preset).program.program;
    simulate(encoded_call(design, program), {&preset}, {spans_, &pool});
  }

 private:
  std::vector<Element> owned_;
  std::vector<std::span<std::byte>> spans_;
};

}  // namespace

TEST_CASE("resident program: what it takes, releases and computes is what was recorded") {
  for (unsigned seed = 0; seed < 60 / tests::kSampleShare; ++seed) {
    CAPTURE(seed);
    RandomCalls random(seed);
    random.add_calls();
    Replay replay(random.calls.elements);
    for (const PlainCall& call : random.plain) replay.run(call);
    for (const Pace pace : {Pace::lazy, Pace::eager, Pace::any}) {
      const ResidentOutcome outcome = run_program(random.calls, pace);
      REQUIRE(outcome.log == replay.outcome.log);
      REQUIRE(has_results_of(outcome, replay));
    }
  }
}

TEST_CASE("resident program: rows have the simulator's bits") {
  for (const RowOp op : {RowOp::layer_norm, RowOp::gelu, RowOp::attend}) {
    const Design design = row_design(npu1(), op, {512, 100});
    CAPTURE(design.name);
    Arguments before(design);
    Arguments after(design);
    after.simulate_on(design);
    const std::size_t bytes = design.memories[0].bytes;
    Calls calls{{header_words(design, {TileKind::core, 0, 0})}, {}};
    for (int i = 0; i < 4; ++i) calls.elements.a.push_back(before.piece(0, 0, bytes));
    for (std::size_t i = 0; design.n_arguments() == 3 && i < design.phases[0].inner; ++i) {
      calls.elements.b.push_back(before.piece(2, i * kElementBytes, kElementBytes));
    }
    const ResidentOutcome outcome = run_program(calls, Pace::any);
    REQUIRE(outcome.results.size() == 1);
    CHECK(same_bytes(outcome.results[0], after.piece(1, 0, bytes), bytes));
  }
}
