// Reports of the simulator besides results: phases, bytes, stalls, and a trace that opens.
#include "npu/sim/simulator.h"

#include <algorithm>
#include <numeric>
#include <set>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"
#include "tests/npu/small_design.h"

using namespace wnpu::npu;  // NOLINT
using wnpu::tests::preset;
using wnpu::tests::small_design;

namespace {

SimReport time_only(const Design& design) { return simulate(design, {&preset()}); }

}  // namespace

TEST_CASE("simulator: every core's cycles add up, and phases begin in order") {
  const Design design = small_design();
  const SimReport report = time_only(design);
  REQUIRE(report.cores.size() == 16);
  for (const CoreCycles& c : report.cores) {
    const double sum =
        c.busy + c.waiting_a + c.waiting_b + c.waiting_c + c.waiting_header + c.finished;
    CHECK(sum == doctest::Approx(report.cycles));
  }
  CHECK(std::ranges::is_sorted(report.phase_start));
  REQUIRE(report.phases.size() == design.phases.size());
  CoreCycles cores;
  CoreCycles phases;
  for (double CoreCycles::*part : {&CoreCycles::busy, &CoreCycles::waiting_a,
                                   &CoreCycles::waiting_b, &CoreCycles::waiting_c}) {
    for (const CoreCycles& c : report.cores) cores.*part += c.*part;
    for (const CoreCycles& p : report.phases) phases.*part += p.*part;
    CHECK(phases.*part == doctest::Approx(cores.*part));
  }
  CHECK(report.utilisation() > 0.5);
  CHECK(report.utilisation() < 1.0);
}

TEST_CASE("simulator: bytes of the channels to DDR are the transfers', counted by hand") {
  const Design design = small_design();
  const SimReport report = time_only(design);
  // 768 rows of 128 columns: the states in twice (norm1, residual), q, keys and values, attention
  // results each once; weights for each of three row blocks.
  const std::uint64_t states = 768 * 128 * 2;
  const auto geometry = layer_geometry(npu1(), {100, 128, 2, 512}, Precision::bf16);
  CHECK(report.ddr_read_bytes == 6 * states + 3 * geometry.weights_bytes);
  // q, k, v with two tiles of padding (8 for 6), attention results, states.
  CHECK(report.ddr_write_bytes == 4 * states + 2 * states);
  std::uint64_t shim_in = 0;
  for (std::size_t i = 0; i < design.channels.size(); ++i) {
    const Channel& c = design.channels[i];
    if (c.tile.kind == TileKind::shim && c.direction == Direction::mm2s) {
      shim_in += report.channel_bytes[i];
    }
  }
  CHECK(shim_in == report.ddr_read_bytes);
}

TEST_CASE("simulator: a faster clock, memory or kernel never makes a call slower") {
  const Design design = small_design();
  const double ms = time_only(design).ms;
  for (double HardwareModel::*member :
       {&HardwareModel::clock_ghz, &HardwareModel::ddr_read_gb_per_s}) {
    HardwareModel faster = preset();
    faster.*member *= 1.5;
    CHECK(simulate(design, {&faster}).ms < ms);
  }
  HardwareModel faster = preset();
  faster.kernels.softmax_cycles.value /= 2;
  CHECK(simulate(design, {&faster}).ms < ms);
}

TEST_CASE("simulator: one tile product takes what the table and the streams say") {
  const GemmProblem problem{256, 64, 256, 64, 64, 64, false};
  const SimReport report = time_only(gemm_design(npu1(), problem));
  const double product = 64.0 * 64 * 64 / preset().kernels.bf16_mac_per_cycle.value;
  const double element = 8192 / 4.0;
  // A and B come over two hops, the product, C leaves over two hops; parameters and calls between.
  const double least = 2 * element + product + 2 * element;
  CHECK(report.cycles > least);
  // Four results of a row leave DDR one after the other, 32 elements share DDR's bandwidth.
  CHECK(report.cycles < least + 16 * 8192 / 7.5 + 10000);
}

TEST_CASE("simulator: the trace is JSON that Chrome and Perfetto read") {
  const Design design = row_design(npu1(), RowOp::attend, {64, 100});
  const SimReport report = simulate(design, {&preset(), true});
  const auto trace = nlohmann::json::parse(trace_json(report, preset()));
  CHECK(trace.at("otherData").at("simulated") == true);
  CHECK(trace.at("otherData").at("preset") == "phoenix-1.0/published");
  std::set<std::string> names;
  std::set<std::string> tracks;
  double end = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      tracks.insert(event.at("args").at("name").get<std::string>());
      continue;
    }
    CHECK(event.at("ph") == "X");
    names.insert(event.at("name").get<std::string>());
    end = std::max(end, event.at("ts").get<double>() + event.at("dur").get<double>());
  }
  CHECK(tracks.contains("core(0,0)"));
  CHECK(tracks.contains("shim(0,0) mm2s 1"));
  CHECK(names.contains("attend row"));
  CHECK(names.contains("b_column3"));
  CHECK(end == doctest::Approx(report.ms * 1e3).epsilon(1e-3));
}

TEST_CASE("simulator: the controller has a track of its own, as long as its cycles") {
  const Design design = small_design();
  const CompiledCall call = compile_call(design, preset());
  const EncodedCall encoded = encoded_call(design, call.program.program);
  const SimReport report = simulate(encoded, {&preset(), true}, {});
  REQUIRE(report.tracks.back() == "controller");
  double busy = 0;
  double waiting = 0;
  for (const Span& span : report.spans) {
    if (span.track + 1 != report.tracks.size()) continue;
    (span.name == "waits" ? waiting : busy) += span.end - span.start;
  }
  CHECK(busy == doctest::Approx(report.controller.busy));
  CHECK(waiting == doctest::Approx(report.controller.waiting));
}
