// The report of `whisper-npu quantize`.
#include "app/commands/quantize/quantize_report.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <string>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "models/files/tensor_view.h"
#include "tests/support/json_schema.h"
#include "tests/support/random_matrix.h"

using namespace wnpu;
using namespace wnpu::app;
using nlohmann::json;

namespace {

QuantizeReport random_report(std::uint64_t seed) {
  tests::Random random(seed);
  QuantizeReport report;
  report.model = "m\xff";
  report.format = "ctranslate2";
  if (seed % 2 == 0) report.max_error = 0.3;
  for (int i = 0; i < 9; ++i) {
    models::QuantizedLayer layer;
    layer.layer.parts = {"encoder.blocks." + std::to_string(i) + ".attn.query",
                         "encoder.blocks." + std::to_string(i) + ".attn.key"};
    layer.error.relative = i % 4 == 0 ? 0 : std::abs(random.uniform());
    layer.error.cosine = random.uniform();
    if (layer.error.relative > 0) layer.error.snr_db = 20 * random.uniform();
    layer.stays_finer = report.max_error && layer.error.relative > *report.max_error;
    layer.bytes = static_cast<std::size_t>(i);
    report.layers.push_back(layer);
  }
  sort_worst_first(report.layers);
  return report;
}

}  // namespace

TEST_CASE("quantize report: JSON is as the schema says, the worst layer first") {
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    CAPTURE(seed);
    const QuantizeReport report = random_report(seed);
    const json document = json::parse(quantize_json(report));
    CHECK(tests::schema_fault("app/commands/quantize/quantize.schema.json", document) == "");
    CHECK(document["bytes"] == 36);
    CHECK(document["layers"].size() == 9);
    for (std::size_t i = 1; i < 9; ++i) {
      CHECK(document["layers"][i - 1]["relative_error"] >= document["layers"][i]["relative_error"]);
    }
    CHECK(document["layers"][8]["snr_db"].is_null());
  }
}

TEST_CASE("quantize report: the schema has the types of model files") {
  CHECK(tests::enums_of(tests::schema_of("app/commands/quantize/quantize.schema.json"))
            .at("layers/type") == tests::enum_of(models::kDTypeNames));
}

TEST_CASE("quantize report: a table has a line for each layer, between its heading and the sum") {
  const std::string text = quantize_text(random_report(2));
  CHECK(std::ranges::count(text, '\n') == 11);
  CHECK(text.find("encoder.blocks.0.attn.query+key") != std::string::npos);
  CHECK(text.find("(stays finer)") != std::string::npos);
  CHECK(text.find("exact") != std::string::npos);
}
