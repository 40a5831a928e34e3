#include "bench/input/window.h"

#include <algorithm>
#include <map>
#include <set>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "tests/nano/nano_safetensors.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT

namespace {

Window small_window() {
  const tests::TemporaryFolder folder;
  models::Dims dims = tests::nano_dims();
  dims.n_audio_head = 1;  // the array's attention wants heads of 64
  dims.n_text_head = 1;
  tests::write(tests::to_safetensors(tests::make_nano_model({.dims = dims}), models::DType::f32),
               folder.path() / "nano");
  WindowOptions options;
  options.model = folder.path() / "nano";
  options.audio = folder.make_file("tone.wav", tests::wav_of_tone(2));
  options.decode.sample_len = 3;
  return measure_window(options);
}

const Window& window() {
  static const Window kWindow = small_window();
  return kWindow;
}

std::vector<TimelineSpan> lane(const std::string& name) {
  std::vector<TimelineSpan> spans;
  std::ranges::copy_if(window().stages, std::back_inserter(spans),
                       [&](const TimelineSpan& span) { return span.lane == name; });
  return spans;
}

}  // namespace

TEST_CASE("window: the CPU's stages are measured, the array's modelled, one after the other") {
  const auto cpu = lane(kCpuLane);
  REQUIRE(cpu.size() == 6);
  CHECK(cpu.front().name == "read audio");
  CHECK(cpu.back().name == "decoder, 3 tokens");
  const auto array = lane(kLayersLane);
  REQUIRE(array.size() == 2 * 2);  // launch and work of two layers
  CHECK(array.front().start_s == doctest::Approx(cpu[2].end_s));
  CHECK(cpu[3].start_s == doctest::Approx(array.back().end_s));
  for (const TimelineSpan& span : window().stages) {
    CAPTURE(span.name);
    CHECK(span.end_s > span.start_s);
    const bool is_cpu = span.lane == kCpuLane || span.lane == kCpuLayersLane;
    CHECK(span.origin == (is_cpu ? Origin::kMeasured : Origin::kModelled));
  }
  CHECK(lane(kCpuLayersLane).size() == 2);
  CHECK(lane(kPhasesLane).size() >= 2 * 7);
}

TEST_CASE("window: the array's tiles work within the layers") {
  const auto array = lane(kLayersLane);
  REQUIRE(!window().tiles.empty());
  double last = 0;
  for (const TimelineSpan& span : window().tiles) {
    CHECK(span.origin == Origin::kModelled);
    CHECK(span.start_s >= array.front().end_s - 1e-9);
    CHECK(span.end_s <= array.back().end_s + 1e-9);
    last = std::max(last, span.end_s);
  }
  CHECK(last == doctest::Approx(array.back().end_s));
}

TEST_CASE("trace_json: is what Chrome and Perfetto load, and says measured or modelled") {
  // Trace Event Format, "JSON Object Format": metadata (M) and complete events (X).
  const auto trace = nlohmann::json::parse(trace_json(window()));
  std::set<std::pair<int, int>> named;
  std::map<int, std::string> kinds;  // by process
  std::size_t complete = 0;
  for (const auto& event : trace.at("traceEvents")) {
    const std::string phase = event.at("ph");
    REQUIRE((phase == "M" || phase == "X"));
    const int process = event.at("pid").get<int>();
    const int thread = event.at("tid").get<int>();
    if (phase == "M") {
      if (event.at("name") == "thread_name") named.insert({process, thread});
      continue;
    }
    ++complete;
    CHECK(named.contains({process, thread}));
    CHECK(event.at("name").is_string());
    CHECK(event.at("ts").get<double>() >= 0);
    CHECK(event.at("dur").get<double>() >= 0);
    const std::string kind = event.at("args").at("kind");
    REQUIRE((kind == "measured" || kind == "modelled"));
    CHECK(kinds.try_emplace(process, kind).first->second == kind);
  }
  CHECK(complete == window().stages.size() + window().tiles.size());
  CHECK(kinds == std::map<int, std::string>{{1, "measured"}, {2, "modelled"}});
}

TEST_CASE("trace_json: names with quotes and broken UTF-8 stay valid JSON") {
  Window broken;
  broken.stages = {{"CPU", "say \"\xff\"", 0, 1e-3, Origin::kMeasured}};
  const auto trace = nlohmann::json::parse(trace_json(broken));
  CHECK(trace.at("traceEvents").back().at("dur").get<double>() == doctest::Approx(1000));
}
