// Profile and trace of a plan: the parts add up, and the trace opens.
#include "npu/time_model/plan_profile.h"

#include <algorithm>
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "npu/plans/plan_file.h"
#include "npu/sim/compile_call.h"

using namespace wnpu::npu;  // NOLINT

namespace {

const LayerShape kReportShape{200, 192, 3, 768};

std::vector<Design> two_calls() {
  const TunedLayer layer = tuned_layer(npu1(), kReportShape, Precision::bf16, {.norm_rows = 8});
  return designs_of(layer, {{LayerOp::norm1, LayerOp::attend}, {LayerOp::out, LayerOp::down}});
}

}  // namespace

TEST_CASE("profile: the parts of an average core's time are the calls' time") {
  const HardwareModel preset = find_preset(kDefaultPreset);
  const std::vector<Design> calls = two_calls();
  const PlanProfile profile = profile_plan(calls, preset);
  double cycles = 0;
  for (const Design& call : calls) cycles += time_call(call, preset).report.cycles;
  CHECK(profile.cycles == doctest::Approx(cycles));
  const CoreCycles& c = profile.cores;
  CHECK(c.busy + c.waiting_a + c.waiting_b + c.waiting_c + c.waiting_header + c.finished ==
        doctest::Approx(cycles));
  CoreCycles sum;
  for (const OperationProfile& o : profile.operations) {
    sum.busy += o.cycles.busy;
    sum.waiting_a += o.cycles.waiting_a;
    sum.waiting_b += o.cycles.waiting_b;
    sum.waiting_c += o.cycles.waiting_c;
  }
  CHECK(sum.busy == doctest::Approx(c.busy));
  CHECK(sum.waiting_a == doctest::Approx(c.waiting_a));
  CHECK(sum.waiting_b == doctest::Approx(c.waiting_b));
  CHECK(sum.waiting_c == doctest::Approx(c.waiting_c));
  CHECK(profile.operations.size() == kLayerOps);
  for (const double alone : {profile.cores.busy, profile.stream, profile.ddr_read,
                             profile.ddr_write, profile.controller.busy, profile.bound}) {
    CHECK(alone <= profile.cycles);
  }
}

TEST_CASE("trace: of several calls, one after the other, no tile does two things at a time") {
  const HardwareModel preset = find_preset(kDefaultPreset);
  const std::vector<Design> calls = two_calls();
  const auto trace = nlohmann::json::parse(trace_plan(calls, preset));
  std::map<int, double> ends;
  std::map<int, std::string> tracks;
  double end = 0;
  for (const auto& event : trace.at("traceEvents")) {
    if (event.at("ph") == "M") {
      if (event.at("name") == "thread_name") tracks[event.at("tid")] = event.at("args").at("name");
      continue;
    }
    const int track = event.at("tid");
    const double start = event.at("ts");
    CAPTURE(tracks[track]);
    CHECK(start >= ends[track] - 0.002);  // written with a nanosecond's digits
    ends[track] = start + event.at("dur").get<double>();
    end = std::max(end, ends[track]);
  }
  CHECK(end == doctest::Approx(profile_plan(calls, preset).ms * 1e3).epsilon(1e-3));
  CHECK(std::ranges::count(tracks, std::string("controller"),
                           [](const auto& t) { return t.second; }) == 1);
}
