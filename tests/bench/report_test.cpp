// The modes of bench for plans, kernels, report and trace on a small model with random
// weights; and the report in a browser.
#include <cstdlib>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/options/exit_code.h"
#include "tests/bench/bench_fixture.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/text.h"

using namespace wnpu;         // NOLINT
using namespace wnpu::bench;  // NOLINT
using nlohmann::json;

namespace {

struct PageFixture : tests::BenchFixture {
  PageFixture() : BenchFixture("<!-- <script>.wav") {
    models::Dims dims = tests::nano_dims();
    dims.n_audio_head = 1;  // the array's attention wants heads of 64
    dims.n_text_head = 1;
    tests::write(tests::to_safetensors(tests::make_nano_model({.dims = dims}), models::DType::f32),
                 model());
    options.size.clear();
    options.runs = 2;
    options.calibration = {.rounds = 3,
                           .copy_bytes = 1 << 20,
                           .read_bytes = 1 << 20,
                           .peak_rounds = 3,
                           .fma_rounds = 200'000};
  }
};

// The page that write_report makes, once for all tests here.
struct Written {
  Written() {
    PageFixture f;
    f.options.mode_value = (f.folder.path() / "report.html").string();
    results = write_report(f.options);
    page = tests::contents_of(f.options.mode_value);
  }

  Results results;
  std::string page;
};

const Written& written() {
  static const Written kWritten;
  return kWritten;
}

// The data that the page draws.
json data_of(const std::string& page) {
  const std::string begin = "id=\"data\">";
  const std::size_t at = page.find(begin) + begin.size();
  return json::parse(page.substr(at, page.find("</script>", at) - at));
}

// Script behind a page: what a browser drew of it, as JSON in the document. Labels collide where
// two texts of a chart share more than a pixel both ways.
constexpr const char* kProbe = R"(<script>
const marks = [...document.querySelectorAll('.mark')].filter(m => {
  const b = m.getBoundingClientRect(), s = m.closest('.chart').getBoundingClientRect();
  return b.width > 0 && b.height > 0 && b.left >= s.left - 1 && b.right <= s.right + 1 &&
         b.top >= s.top && b.bottom <= s.bottom + 1;
}).length;
let collisions = [], outside = [];
for (const chart of document.querySelectorAll('.chart')) {
  const s = chart.getBoundingClientRect();
  const texts = [...chart.querySelectorAll('.label')].map(t => [t.textContent, t.getBoundingClientRect()]);
  texts.forEach(([name, b], i) => {
    if (b.left < s.left - 1 || b.right > s.right + 1) outside.push(name);
    for (const [other, o] of texts.slice(i + 1)) {
      if (Math.min(b.right, o.right) - Math.max(b.left, o.left) > 1 &&
          Math.min(b.bottom, o.bottom) - Math.max(b.top, o.top) > 4) collisions.push(name + ' / ' + other);
    }
  });
}
const result = document.createElement('pre');
result.id = 'probe';
result.textContent = JSON.stringify({marks, collisions, outside, charts: document.querySelectorAll('.chart').length});
document.body.append(result);
</script>)";

struct Seen {
  json probe;
  std::size_t console_lines = 0;
};

// The page with the probe in headless Chromium; marks that ought to be drawn are in the probe.
Seen look_at(std::string page, const tests::TemporaryFolder& folder) {
  page.insert(page.find("</body>"), kProbe);
  const auto file = folder.make_file("page.html", page);
  const std::string at = folder.path().string();
  const std::string command = "HOME=" + at +
                              " timeout 120 chromium --headless --no-sandbox --disable-gpu "
                              "--disable-dev-shm-usage --user-data-dir=" +
                              at +
                              "/profile --enable-logging=stderr "
                              "--window-size=1000,3000 --dump-dom file://" +
                              file.string() + " >" + at + "/dom 2>" + at + "/log";
  REQUIRE(std::system(command.c_str()) == 0);  // NOLINT(concurrency-mt-unsafe)
  const std::string dom = tests::contents_of(folder.path() / "dom");
  const std::string opening = "<pre id=\"probe\">";
  const std::size_t start = dom.find(opening);
  REQUIRE(start != std::string::npos);
  const std::size_t begin = start + opening.size();
  return {json::parse(dom.substr(begin, dom.find("</pre>", begin) - begin)),
          tests::count_of(tests::contents_of(folder.path() / "log"), "CONSOLE")};
}

bool has_chromium() {
  // NOLINTNEXTLINE(concurrency-mt-unsafe)
  return std::system("command -v chromium >/dev/null 2>&1") == 0;
}

}  // namespace

TEST_CASE("plans: a row for every way at every length, none without where it is from") {
  const PageFixture f;
  const Results results = measure_plans(f.options);
  CHECK(tests::bench_schema_fault(results) == "");
  for (const char* text :
       {"10 frames", "100 frames", "500 frames", "1500 frames", "fused", "batched", "hybrid",
        "per-op", "modelled + measured", "hawk-1.6/published", "strix-1.8/published",
        "what these times rest on"}) {
    CAPTURE(text);
    CHECK(tests::has(results.text, text));
  }
  // Four plans on four arrays and the CPU; published figures are of base alone.
  CHECK(!tests::has(results.text, "NumPy"));
  std::size_t at_100 = 0;
  for (const Figure& figure : results.figures) {
    CHECK(figure.value > 0);
    for (const auto& [label, value] : figure.labels) at_100 += label == "frames" && value == "100";
  }
  CHECK(at_100 == 4 * 4 + 1);
}

TEST_CASE("plans: a model whose heads the array cannot have is refused with both numbers") {
  PageFixture f;
  tests::write(tests::to_safetensors(tests::make_nano_model(), models::DType::f32),
               f.folder.path() / "narrow");
  f.options.work.model = (f.folder.path() / "narrow").string();
  CHECK_THROWS_WITH_AS(measure_plans(f.options),
                       "narrow: expected attention heads of 64, which the array is made for, found "
                       "32",
                       app::UsageError);
}

TEST_CASE("kernels: both machines' kernels with their peaks, in the schema") {
  const PageFixture f;
  const Results results = measure_kernels(f.options);
  CHECK(tests::bench_schema_fault(results) == "");
  for (const char* text : {"softmax", "GELU", "LayerNorm", "matmul", "whole layer, fused", "830 us",
                           "1.54 ms", "1.52 ms", "390 us"}) {
    CAPTURE(text);
    CHECK(tests::has(results.text, text));
  }
}

TEST_CASE("report: the page holds the JSON of one run, takes nothing from elsewhere") {
  CHECK(tests::bench_schema_fault(written().results) == "");
  CHECK(tests::count_of(written().page, "http") == 0);
  CHECK(tests::count_of(written().page, "<script") == 2);
  const json data = data_of(written().page);
  CHECK(tests::schema_fault("bench/bench.schema.json", data) == "");
  CHECK(data.at("mode") == "report");
  CHECK(data.at("figures").size() == written().results.figures.size());
  CHECK(data.at("heard")[0].at("file") == "<!-- <script>.wav");
}

TEST_CASE("report: a browser draws every mark within its chart, no labels on each other") {
  if (!has_chromium()) {
    MESSAGE("SKIP: chromium is not installed (apt-get install chromium)");
    return;
  }
  const tests::TemporaryFolder folder;
  const Seen seen = look_at(written().page, folder);
  CAPTURE(seen.probe.dump());
  CHECK(seen.console_lines == 0);
  CHECK(seen.probe.at("charts") > 6);
  CHECK(seen.probe.at("marks") == written().results.figures.size());
  CHECK(seen.probe.at("collisions").empty());
  CHECK(seen.probe.at("outside").empty());
}

TEST_CASE("report: the look into the browser sees errors, hidden marks and labels that collide") {
  if (!has_chromium()) {
    MESSAGE("SKIP: chromium is not installed (apt-get install chromium)");
    return;
  }
  const tests::TemporaryFolder folder;
  const Seen seen = look_at(
      "<!DOCTYPE html><html><head><link rel=icon href=data:,></head><body>"
      "<style>.chart { position: relative; width: 400px; height: 99px } .chart * { position: "
      "absolute }"
      ".mark { width: 5px; height: 5px }</style><div class='chart'><div class='mark'></div>"
      "<div class='mark' style='width:0'></div><div class='mark' style='left:399px'></div>"
      "<b class='label' style='left:9px'>first</b><b class='label' "
      "style='left:12px'>second</b></div>"
      "<script>missing();</script></body></html>",
      folder);
  CAPTURE(seen.probe.dump());
  CHECK(seen.console_lines == 1);
  CHECK(seen.probe.at("marks") == 1);
  CHECK(seen.probe.at("collisions").size() == 1);
}

TEST_CASE("trace: is written as JSON, with its figures in the schema") {
  PageFixture f;
  f.options.mode_value = (f.folder.path() / "trace.json").string();
  const Results results = write_trace(f.options);
  CHECK(tests::bench_schema_fault(results) == "");
  const json trace = json::parse(tests::contents_of(f.options.mode_value));
  CHECK(trace.at("traceEvents").size() > 50);
  f.options.mode_value = (f.folder.path() / "missing" / "trace.json").string();
  CHECK_THROWS_AS(write_trace(f.options), app::OutputError);
}
