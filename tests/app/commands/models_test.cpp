// Models in `whisper-npu models`: what each needs, which one is recommended, and JSON of them.
#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/commands/models/model_advice.h"
#include "app/commands/models/models_json.h"
#include "app/model_store/hub/catalogue.h"
#include "tests/support/json_schema.h"

using namespace wnpu::app;  // NOLINT

namespace {

constexpr std::uint64_t kGiB = std::uint64_t{1} << 30;

}  // namespace

TEST_CASE("model advice: every published model has its languages, memory and speed") {
  const Host host{2, 16 * kGiB, wnpu::models::Precision::int8, true};
  for (const HubModel& model : hub_models()) {
    CAPTURE(model.name);
    const auto needs = needs_of(model.name, host);
    REQUIRE(needs);
    const bool is_english = model.name.ends_with(".en") || model.name.starts_with("distil-");
    CHECK((needs->languages == 1) == is_english);
    CHECK(needs->memory_bytes > 100'000'000);
    CHECK(needs->memory_bytes < 8 * kGiB);
    CHECK(needs->times_real_time > 1);
    CHECK(needs->times_real_time < 500);
  }
  CHECK(needs_of("tiny", host)->languages == 99);
  CHECK(needs_of("large-v3", host)->languages == 100);
  CHECK(needs_of("distil-large-v3", host)->times_real_time >
        needs_of("large-v3", host)->times_real_time);
  CHECK_FALSE(needs_of("mine", host));
  CHECK_FALSE(needs_of("distil-mine.en", host));
}

TEST_CASE("model advice: more memory and more processors give larger models") {
  const auto other = [](unsigned threads, std::uint64_t bytes, bool multiplies_bytes) {
    const auto precision =
        multiplies_bytes ? wnpu::models::Precision::int8 : wnpu::models::Precision::fp32;
    return advice_for({threads, bytes, precision, multiplies_bytes}).other;
  };
  CHECK(other(1, kGiB / 4, false) == "tiny");
  CHECK(other(2, kGiB, true) == "base");
  CHECK(other(2, 16 * kGiB, false) == "small");
  CHECK(other(2, 16 * kGiB, true) == "large-v3-turbo");
  CHECK(other(2, 2 * kGiB, true) == "small");
  const auto int8 = wnpu::models::Precision::int8;
  CHECK(advice_for({2, 2 * kGiB, int8, true}).english == "small.en");
  CHECK(advice_for({2, 16 * kGiB, int8, true}).english == "large-v3-turbo");
  const double in_words = needs_of("base", {2, kGiB, int8, false})->times_real_time;
  CHECK(in_words > needs_of("base", {2, kGiB, {}, false})->times_real_time);
  CHECK(in_words < needs_of("base", {2, kGiB, int8, true})->times_real_time);
}

namespace {

using namespace wnpu::app;
using nlohmann::json;

}  // namespace

TEST_CASE("models: JSON of the list has every name, here or published") {
  std::vector<ListedModel> models;
  for (const HubModel& model : hub_models()) {
    models.push_back({std::string(model.name), &model, {}});
  }
  models.push_back({"mine\xFF", nullptr, "/models/mine\xFF"});
  const json found = json::parse(models_json(models, "/models"));
  CHECK(wnpu::tests::schema_fault("app/commands/models/models_list.schema.json", found) == "");
  REQUIRE(found["models"].size() == models.size());
  CHECK(found["models"][0]["path"].is_null());
  CHECK(found["models"][0]["published_as"][0] == "ctranslate2");
  CHECK(found["models"].back()["published_as"].empty());
  CHECK(found["models"][0]["languages"] == 1);
  CHECK(found["models"][1]["languages"] == 99);
  CHECK(found["models"].back()["memory_bytes"].is_null());
  CHECK_FALSE(found["recommended"]["other"].get<std::string>().ends_with(".en"));
  CHECK(found["models"].back()["path"] == "/models/mine\xEF\xBF\xBD");
}

TEST_CASE("models: JSON of each model has its sources and their files") {
  const json schema = wnpu::tests::schema_of("app/commands/models/models_info.schema.json");
  for (const HubModel& model : hub_models()) {
    const json found = json::parse(model_json({std::string(model.name), &model, {}}));
    CAPTURE(model.name);
    CHECK(wnpu::tests::schema_fault(schema, found) == "");
    CHECK(found["stored"].is_null());
    REQUIRE(found["sources"].size() == model.sources.size());
    CHECK(found["sources"][0]["files"].size() == model.sources[0].files.size());
  }
  const HubModel& detector = hub_detector();
  const json found =
      json::parse(model_json({std::string(detector.name), &detector, "/models/silero_vad"}));
  CHECK(wnpu::tests::schema_fault(schema, found) == "");
  CHECK(found["stored"] == json{{"path", "/models/silero_vad"}, {"format", "safetensors"}});
}
