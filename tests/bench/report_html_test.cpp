#include "bench/report/report_html.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "bench/core/report.h"

using namespace wnpu::bench;

namespace {

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t found = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) {
    ++found;
  }
  return found;
}

Report sample() {
  Report report;
  report.title = "tiny.en <on> \"this\" & that";
  report.facts = {{"machine", "2 x Zen 4"}, {"commit", "abc"}};
  report.stages = {{"mel", 0.01}, {"encoder", 0.06}, {"decoder", 0.03}};
  report.plans = {{"per-op", 100, 0.5, Origin::kPublished},
                  {"fused", 1500, 380, Origin::kModelled},
                  {"cpu", 1500, 200, Origin::kMeasured}};
  report.rooflines = {
      {"this CPU", {220, 36}, {{"matmul 64x64", 10, 50}, {"softmax 1500", 0.5, 8}}}};
  report.timelines = {
      {"One window",
       "CPU & array",
       {{"CPU", "mel", 0, 0.01}, {"NPU array", "layer 0", 0.01, 0.02, Origin::kModelled}}}};
  return report;
}

// The data that the page draws.
nlohmann::json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return nlohmann::json::parse(page.substr(at, page.find("</script>", at) - at));
}

}  // namespace

TEST_CASE("report_html: each datum says where it is from") {
  const nlohmann::json data = data_of(report_html(sample()));
  CHECK(data["stages"][1] ==
        nlohmann::json{{"name", "encoder"}, {"seconds", 0.06}, {"origin", "measured"}});
  CHECK(data["plans"][0]["origin"] == "published");
  CHECK(data["plans"][1]["origin"] == "modelled");
  CHECK(data["rooflines"][0]["kernels"][1]["gflops"] == 8);
  CHECK(data["timelines"][0]["spans"][1]["lane"] == "NPU array");
  CHECK(data["target_speed"] == 220);
}

TEST_CASE("report_html: takes nothing from elsewhere, and no text ends its script") {
  Report report = sample();
  report.notes = {"weights: random", "</script><script>alert(1)</script><!--"};
  const std::string page = report_html(report);
  CHECK(count_of(page, "http") == 0);
  CHECK(count_of(page, "<script") == 2);
  CHECK(data_of(page)["notes"][1] == report.notes[1]);
  CHECK(data_of(page)["title"] == report.title);
}
