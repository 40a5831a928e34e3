// A call's control program: what it holds, that it ends under one controller, and what it costs.
#include "npu/sim/compile_call.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/fnv1a.h"
#include "npu/plans/plan.h"
#include "tests/few_samples.h"
#include "tests/npu/small_design.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;
using wnpu::tests::preset;
using wnpu::tests::small_design;

namespace {

Design layer_of(const EncoderShape& s, Precision precision = Precision::bf16,
                const Target& target = npu1()) {
  return layer_design(layer_geometry(target, {1500, s.width, s.heads, s.hidden}, precision));
}

std::string digest_of(const Design& design) {
  const std::vector<std::byte> bytes = encode(control_program(design).program);
  return hash_text(
      Fnv1a().add_bytes({reinterpret_cast<const char*>(bytes.data()), bytes.size()}).value());
}

SimReport run(const Design& design, const CallProgram& program, const ControllerCosts& costs) {
  SimOptions options{&preset()};
  options.costs = &costs;
  return simulate(encoded_call(design, program.program), options, {});
}

// Walks a program as a controller that knows registers alone: queues never hold more than four
// tasks, no descriptor is written while a task that uses it may run, every token that is waited for
// is sent.
class ProgramWalk {
 public:
  explicit ProgramWalk(const ControlProgram& program) {
    for (const Operation& operation : program.operations) std::visit(*this, operation);
  }
  void operator()(const WriteDescriptor& w) {
    const auto user = last_user_.find({name(w.tile), w.descriptor});
    if (user != last_user_.end()) REQUIRE(user->second.second <= ended_[user->second.first]);
    next_[{name(w.tile), w.descriptor}] = w.content.next.value_or(-1);
    ++n_descriptors;
  }
  void operator()(const PushTask& t) {
    const std::string port = port_name(t.port);
    REQUIRE((!t.has_token || is_routed_[port]));
    REQUIRE(++given_[port] - ended_[port] <= 4);
    sent_[port] += t.has_token ? 1 : 0;
    int id = t.descriptor;
    for (int n = 0; id >= 0; ++n) {
      REQUIRE(n < 8);
      REQUIRE(next_.contains({name(t.port.tile), id}));
      last_user_[{name(t.port.tile), id}] = {port, given_[port]};
      id = next_[{name(t.port.tile), id}];
    }
    ++n_tasks;
  }
  void operator()(const WaitForTokens& w) {
    const std::string port = port_name(w.port);
    REQUIRE(++ended_[port] <= sent_[port]);
  }
  void operator()(const RouteTokens& r) { is_routed_[port_name(r.port)] = true; }
  template <typename Other>
  void operator()(const Other& /*operation*/) {}

  int n_tasks = 0;
  int n_descriptors = 0;

 private:
  static std::string name(TileId tile) { return tile_name(tile); }

  std::map<std::string, int> given_, sent_, ended_;
  std::map<std::string, bool> is_routed_;
  std::map<std::pair<std::string, int>, int> next_;
  std::map<std::pair<std::string, int>, std::pair<std::string, int>> last_user_;
};

}  // namespace

TEST_CASE("control program of a call: safe by its own waits, and the same bytes both ways") {
  std::vector<Design> designs;
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    const auto g = layer_geometry(npu1(), {100, 128, 2, 512}, precision);
    for (const LayerCall& call : layer_calls(Plan::batched))
      designs.push_back(layer_design(g, call));
    designs.push_back(layer_design(g));
  }
  for (const RowOp op : {RowOp::layer_norm, RowOp::attend, RowOp::gelu}) {
    designs.push_back(row_design(npu1(), op, {128, 100}));
  }
  designs.push_back(layer_of(tests::kBase));
  designs.push_back(layer_of(tests::kTiny, Precision::int8, npu4()));
  for (const Design& design : designs) {
    CAPTURE(design.name);
    const CallProgram program = compile_call(design, preset()).program;
    const ProgramWalk walk(program.program);
    CHECK(static_cast<std::size_t>(walk.n_tasks) == program.n_tasks);
    CHECK(static_cast<std::size_t>(walk.n_descriptors) == program.n_descriptors);
    CHECK((decode(encode(program.program)) == program.program));
  }
}

TEST_CASE("control program of a call: npu1's bytes, whatever else is new") {
  CHECK(digest_of(layer_of(tests::kTiny)) == "3dcf513c06bea6b6");
  CHECK(digest_of(layer_of(tests::kTiny, Precision::int8)) == "1aa4fd50f30acbab");
  CHECK(digest_of(layer_of(tests::kBase)) == "b6e1c6d6e3799056");
  CHECK(digest_of(layer_of(tests::kBase, Precision::int8)) == "27bc96bc33b18fff");
}

TEST_CASE("control program of a call: one controller brings every layer to its end, at any speed") {
  for (const auto& [name, s] : tests::some_of(tests::kWhisperSizes)) {
    const Design design = layer_of(s);
    const CompiledCall call = compile_call(design, preset());
    for (const ControllerCosts* costs : {&phoenix_controller(), &phoenix_queued_controller()}) {
      const SimReport report = run(design, call.program, *costs);
      CHECK(report.controller.operations == call.program.program.operations.size());
      CHECK(report.cycles >= call.ideal.cycles);
      CHECK(report.ddr_read_bytes == call.ideal.ddr_read_bytes);
      CHECK(report.ddr_write_bytes == call.ideal.ddr_write_bytes);
      const double exposed = report.cycles - call.ideal.cycles;
      MESSAGE(name, ", ", costs->name, ": ", call.program.n_tasks, " tasks, ",
              call.program.n_descriptors, " descriptors, ", call.program.program.operations.size(),
              " operations, ", encode(call.program.program).size(), " bytes; controller busy ",
              report.controller.busy / 1e6, " ms at 1 GHz, of which ",
              100 * (1 - exposed / report.controller.busy), " % hidden; layer ",
              call.ideal.cycles / 1e6, " -> ", report.cycles / 1e6, " ms");
    }
    if (name == "base") CHECK(call.program.n_tasks < 2000);
  }
}

TEST_CASE(
    "control program of a call: the order holds at other clocks, memories and kernel speeds") {
  const Design design = small_design();
  const ControlProgram program = compile_call(design, preset()).program.program;
  const EncodedCall call = encoded_call(design, program);
  for (const char* name : {"phoenix-1.0/goal", "phoenix-8700g/open-source", "hawk-1.6/gemm"}) {
    HardwareModel other = find_preset(name);
    for (const double ddr : {0.1, 1.0, 50.0}) {
      other.ddr_read_gb_per_s *= ddr;
      const SimReport report = simulate(call, {&other}, {});
      CHECK(report.controller.operations == program.operations.size());
    }
  }
}

TEST_CASE(
    "control program of a call: an order in which the controller waits for what comes later") {
  const Design design = small_design();
  const auto plan = plan_tasks(design);
  std::vector<TaskId> order;  // channel after channel: the first waits for others' tasks
  for (std::size_t c = 0; c < plan.size(); ++c) {
    for (std::size_t k = 0; k < plan[c].size(); ++k) order.push_back({c, k});
  }
  const CallProgram program = call_program(design, plan, order);
  try {
    run(design, program, phoenix_controller());
    FAIL("expected a deadlock");
  } catch (const SimulationError& error) {
    const std::string what = error.what();
    CHECK(what.find("deadlock: the controller waits at operation ") != std::string::npos);
    CHECK(what.find(" for a task of shim(") != std::string::npos);
  }
}

TEST_CASE("control program of a call: a slower controller never makes a call faster") {
  const Design design = small_design();
  const CompiledCall call = compile_call(design, preset());
  double last = call.ideal.cycles;
  for (const double factor : {0.1, 1.0, 4.0, 16.0}) {
    ControllerCosts costs = phoenix_controller();
    costs.write.value *= factor;
    costs.push.value *= factor;
    costs.token.value *= factor;
    const SimReport report = run(design, call.program, costs);
    CHECK(report.cycles >= last);
    last = report.cycles;
  }
}
