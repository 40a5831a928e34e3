// models list --json and models info --json of the whole catalogue are what their schemas say.
#include "app/commands/models/models_json.h"

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/model_store/hub/catalogue.h"
#include "tests/support/json_schema.h"

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
  CHECK(wnpu::tests::schema_fault(
            wnpu::tests::schema_of("app/commands/models/models_list.schema.json"), found) == "");
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
