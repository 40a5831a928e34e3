#include "bench/report/report_html.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "bench/core/report.h"
#include "bench/report/svg.h"

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

}  // namespace

TEST_CASE("report_html: each datum is one mark, and says where it is from") {
  const std::string page = report_html(sample());
  CHECK(count_of(page, "class=\"mark ") == 3 + 3 + 2 + 2);
  CHECK(count_of(page, "class=\"mark modelled\"") == 1 + 1);
  CHECK(count_of(page, "class=\"mark published\"") == 1);
  CHECK(count_of(page, "class=\"mark measured\"") == 3 + 1 + 2 + 1);
  CHECK(count_of(page, "<svg") == 4);
  CHECK(count_of(page, "class=\"target\"") == 1);
}

TEST_CASE("report_html: is valid text and takes nothing from elsewhere") {
  const std::string page = report_html(sample());
  CHECK(page.find("<title>tiny.en &lt;on&gt; &quot;this&quot; &amp; that</title>") !=
        std::string::npos);
  CHECK(count_of(page, "http") == 0);
  CHECK(count_of(page, "<script") == 0);
  CHECK(count_of(page, "nan") == 0);
  CHECK(count_of(page, "inf") == 0);
}

TEST_CASE("report_html: says what a reader must know") {
  Report report = sample();
  CHECK(count_of(report_html(report), "<li>") == 0);
  report.notes = {"weights: random", "a < b"};
  const std::string page = report_html(report);
  CHECK(count_of(page, "<li>weights: random</li>") == 1);
  CHECK(count_of(page, "<li>a &lt; b</li>") == 1);
}

TEST_CASE("report_html: a chart without data is left out") {
  Report report = sample();
  report.plans.clear();
  report.timelines.clear();
  CHECK(count_of(report_html(report), "<svg") == 2);
}

TEST_CASE("report_html: a trade-off has a mark a datum, and numbers where all are the same") {
  Report report;
  TradeOff chart{"a & b", "c", "ms", "%", {{"1", "first", 3, 50}}, {}, {}};
  report.trade_offs = {chart};
  CHECK(count_of(report_html(report), "class=\"mark modelled\"") == 1);
  chart.points.push_back({"2", "second", 5, 20, Origin::kMeasured});
  chart.others = {{4, 60}, {8, 30}};
  chart.most_x = 7;
  report.trade_offs.push_back(chart);
  report.trade_offs.emplace_back();  // empty: left out
  const std::string page = report_html(report);
  CHECK(count_of(page, "<svg") == 2);
  CHECK(count_of(page, "class=\"mark seen\"") == 2);
  CHECK(count_of(page, "class=\"mark measured\"") == 1);
  CHECK(count_of(page, "class=\"target\"") == 1);
  CHECK(count_of(page, ">a &amp; b<") == 2);
  for (const char* broken : {"nan", "inf"}) CHECK(count_of(page, broken) == 0);
}

TEST_CASE("svg: a logarithmic axis gives each decade the same room") {
  const svg::Axis axis = svg::decades_around({0.5, 380}, 0, 400);
  CHECK(axis.low == doctest::Approx(0.1));
  CHECK(axis.high == doctest::Approx(1000));
  CHECK(axis.at(0.1) == doctest::Approx(0));
  CHECK(axis.at(1) == doctest::Approx(100));
  CHECK(axis.at(1000) == doctest::Approx(400));
  CHECK(axis.ticks().size() == 5);
}

TEST_CASE("svg: a linear axis has few ticks at round values") {
  const svg::Axis axis = {svg::Scale::kLinear, 0, 61, 0, 610};
  CHECK(axis.ticks() == std::vector<double>{0, 20, 40, 60});
  CHECK(axis.at(30.5) == doctest::Approx(305));
}

TEST_CASE("svg: numbers have few digits and no exponent") {
  CHECK(svg::number(0.0345) == "0.0345");
  CHECK(svg::number(12.34) == "12.3");
  CHECK(svg::number(1400.4) == "1400");
}
