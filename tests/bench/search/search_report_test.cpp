// Output of a search for encoders: text, JSON and plot.
#include <map>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "npu/search/report.h"
#include "tests/support/json_schema.h"

using namespace wnpu;  // NOLINT
using nlohmann::json;

namespace {

std::size_t occurrences(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

npu::SearchReport report_of(std::optional<double> most_ms) {
  npu::SearchReport report;
  report.encoder = "<small>";
  npu::VariantSearchOptions& o = report.options;
  o.space = npu::usual_space({300, 128, 2, 256, 2});
  o.preset = npu::find_preset(npu::kDefaultPreset);
  o.predictor = &npu::predictors().back();
  o.budget.evaluations = 50;
  o.most_members = 5;
  o.most_ms = most_ms;
  report.result = npu::search_variants(o);
  return report;
}

}  // namespace

TEST_CASE("search report: JSON is what its schema says, with what was found") {
  npu::SearchReport report = report_of(100);
  const std::size_t n = report.result.front.size();
  REQUIRE(n > 1);
  const json plain = json::parse(npu::search_json(report));
  CHECK(tests::schema_fault(tests::schema_of("bench/search/search.schema.json"), plain) == "");
  CHECK(plain.at("front").size() == n);
  CHECK(plain.at("front")[0].at("quality").is_null());
  CHECK(!plain.contains("nearest"));
  CHECK(plain.at("limits").at("latency_ms") == 100);
  CHECK(plain.at("limits").at("memory_mb").is_null());
  CHECK(plain.at("whole").at("kept") == 1);
  report.quality.assign(n, {3, 4});
  report.whole_quality = npu::MeasuredQuality{1, 4};
  report.notes = {"a note"};
  report.objective = npu::SearchObjective::states;
  report.result.dropped.push_back({report.result.whole.variant, "a reason"});
  report.result.refused_layers[{300, 2, 64, npu::Precision::int8}] = "another";
  const json full = json::parse(npu::search_json(report));
  CHECK(tests::schema_fault(tests::schema_of("bench/search/search.schema.json"), full) == "");
  CHECK(full.at("front")[1].at("quality").at("wer") == 0.75);
  CHECK(full.at("front")[0].at("states_error") == report.result.front[0].loss);
  CHECK(plain.at("front")[0].at("states_error").is_null());
  CHECK(full.at("search").at("refused_layers")[0].at("reason") == "another");
  const json none = json::parse(npu::search_json(report_of(1e-3)));
  CHECK(tests::schema_fault(tests::schema_of("bench/search/search.schema.json"), none) == "");
  CHECK(none.at("front").empty());
  CHECK(none.at("nearest").at("simulated_ms") > 1e-3);
}

TEST_CASE("search report: the schema's enums are the program's lists") {
  const std::vector<std::string_view> ends{"evaluations", "time", "space"};
  const std::vector<std::string_view> predictors{"analytical", "look-up", "learned"};
  for (std::size_t i = 0; i < predictors.size(); ++i) {
    CHECK(npu::predictors()[i].name == predictors[i]);
  }
  const auto enums = tests::enums_of(tests::schema_of("bench/search/search.schema.json"));
  CHECK(enums.at("objective") == tests::enum_of(npu::kSearchObjectiveNames));
  CHECK(enums.at("method") == tests::enum_of(npu::kSearchMethodNames));
  CHECK(enums.at("predictor") == tests::enum_of(predictors));
  CHECK(enums.at("search/ended_by") == tests::enum_of(ends));
  CHECK(enums.at("precision") == tests::enum_of(npu::kPrecisionNames));
}

TEST_CASE("search report: text has a row a member, and says that it is modelled") {
  npu::SearchReport report = report_of(100);
  const std::string text = npu::search_text(report);
  CHECK(text.find("all modelled, nothing was run on an NPU") != std::string::npos);
  CHECK(text.find("time at most 100 ms, memory any") != std::string::npos);
  CHECK(occurrences(text, "pooling ") >= report.result.front.size() + 1);
  CHECK(text.find("WER") == std::string::npos);
  report.quality.assign(report.result.front.size(), {3, 4});
  report.whole_quality = npu::MeasuredQuality{1, 4};
  const std::string measured = npu::search_text(report);
  CHECK(occurrences(measured, " 75.0 %") == report.result.front.size());
  CHECK(occurrences(measured, " 25.0 %") == 1);
  CHECK(measured.find("nothing trained again") != std::string::npos);
  CHECK(npu::search_text(report_of(1e-3)).find(" nearest ") != std::string::npos);
}
