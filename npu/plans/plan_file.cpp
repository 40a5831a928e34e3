#include "npu/plans/plan_file.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <iterator>
#include <set>
#include <stdexcept>
#include <string_view>
#include <utility>

#include <nlohmann/json.hpp>

#include "npu/plans/tuning_fields.h"

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDocument = "whisper-npu layer plan";
constexpr int kPlanSchema = 1;

struct ShapeField {
  const char* name;
  std::size_t LayerShape::*field;
};
constexpr std::array kShape{
    ShapeField{"frames", &LayerShape::frames}, ShapeField{"width", &LayerShape::width},
    ShapeField{"heads", &LayerShape::heads}, ShapeField{"hidden", &LayerShape::hidden}};
constexpr std::size_t kMostSize = 1 << 20;

std::string plan_shape_text(const Target& target, const LayerShape& s) {
  return std::string(target.name) + ", " + std::to_string(s.frames) + " frames of " +
         std::to_string(s.width) + ", " + std::to_string(s.heads) + " heads, hidden " +
         std::to_string(s.hidden);
}

// Reads the parts of one document.
class PlanReader {
 public:
  explicit PlanReader(std::string name) : name_(std::move(name)) {}

  PlanFile read(const Json& json) const {
    if (!json.is_object() || !json.contains("document") || json.at("document") != kDocument) {
      fail("document", std::string(kDocument), "something else");
    }
    if (member(json, "schema_version") != kPlanSchema) {
      fail("schema_version", std::to_string(kPlanSchema), member(json, "schema_version").dump());
    }
    require_fields(json, {"document", "schema_version", "target", "precision", "shape", "tuning",
                          "calls", "overlay", "designs", "modelled"});
    PlanFile file;
    file.target = find_target(text(json, "target"));
    if (file.target == nullptr) fail("target", "npu1 or npu4", text(json, "target"));
    const auto precision = find_precision(text(json, "precision"));
    if (!precision) fail("precision", "bf16 or int8", text(json, "precision"));
    file.precision = *precision;
    const Json& shape = member(json, "shape");
    for (const ShapeField& f : kShape) file.shape.*f.field = size(shape, f.name);
    file.plan = {tuning(member(json, "tuning")), calls(member(json, "calls"))};
    require_hashes(json, file);
    return file;
  }

  [[noreturn]] void fail(const std::string& where, const std::string& expected,
                         const std::string& found) const {
    throw std::invalid_argument(name_ + ": " + where + ": expected " + expected + ", found " +
                                found);
  }

 private:
  const Json& member(const Json& parent, const char* key) const {
    if (!parent.is_object() || !parent.contains(key)) fail(key, "a value", "none");
    return parent.at(key);
  }
  std::string text(const Json& parent, const char* key) const {
    const Json& value = member(parent, key);
    if (!value.is_string()) fail(key, "a text", value.dump());
    return value.get<std::string>();
  }
  std::size_t size(const Json& parent, const char* key) const {
    const Json& value = member(parent, key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() > kMostSize) {
      fail(key, "a whole number", value.dump());
    }
    return value.get<std::size_t>();
  }
  void require_fields(const Json& parent, const std::set<std::string>& known) const {
    for (const auto& [key, value] : parent.items()) {
      if (!known.contains(key)) fail(key, "no such field", value.dump());
    }
  }

  LayerTuning tuning(const Json& json) const {
    LayerTuning tuning;
    std::set<std::string> known;
    for (const TuningSize& f : kTuningSizes) {
      tuning.*f.field = size(json, f.name);
      known.insert(f.name);
    }
    for (const TuningFlag& f : kTuningFlags) {
      const Json& value = member(json, f.name);
      if (!value.is_boolean()) fail(f.name, "true or false", value.dump());
      tuning.*f.field = value.get<bool>();
      known.insert(f.name);
    }
    require_fields(json, known);
    return tuning;
  }

  LayerOp op(const Json& json) const {
    const auto* const found = json.is_string()
                                  ? std::ranges::find(kLayerOpNames, json.get<std::string>())
                                  : kLayerOpNames.end();
    if (found == kLayerOpNames.end()) fail("calls", "operations of a layer", json.dump());
    return static_cast<LayerOp>(found - kLayerOpNames.begin());
  }

  // One behind the other, from the first operation to the last.
  std::vector<LayerCall> calls(const Json& json) const {
    std::vector<LayerCall> calls;
    std::size_t next = 0;
    for (const Json& pair : json) {
      if (!pair.is_array() || pair.size() != 2) fail("calls", "pairs of operations", pair.dump());
      const LayerCall call{op(pair.at(0)), op(pair.at(1))};
      const auto first = static_cast<std::size_t>(call.first);
      if (first != next || call.last < call.first) {
        fail("calls", "every operation once, in order", json.dump());
      }
      next = static_cast<std::size_t>(call.last) + 1;
      calls.push_back(call);
    }
    if (next != kLayerOps) fail("calls", "every operation once, in order", json.dump());
    return calls;
  }

  // The designs that this program makes of it are those that the plan was chosen for.
  void require_hashes(const Json& json, const PlanFile& file) const {
    const std::vector<Design> designs = designs_of(file.layer(), file.plan.calls);
    const auto require = [&](const char* what, const Json& stored, std::uint64_t hash) {
      if (stored == hash_text(hash)) return;
      fail(what, hash_text(hash) + " (this program's; the plan was made by another or changed)",
           stored.dump());
    };
    require("overlay", member(json, "overlay"), overlay_hash(designs.front()));
    const Json& hashes = member(json, "designs");
    if (!hashes.is_array() || hashes.size() != designs.size()) {
      fail("designs", std::to_string(designs.size()) + " hashes", hashes.dump());
    }
    for (std::size_t i = 0; i < designs.size(); ++i) {
      require("designs", hashes.at(i), design_hash(designs[i]));
    }
  }

  std::string name_;
};

}  // namespace

TunedLayer PlanFile::layer() const { return tuned_layer(*target, shape, precision, plan.tuning); }

std::string plan_file_text(const PlanFile& file, const ModelledPlan& modelled) {
  Json json{{"document", kDocument},
            {"schema_version", kPlanSchema},
            {"target", file.target->name},
            {"precision", precision_name(file.precision)}};
  for (const ShapeField& f : kShape) json["shape"][f.name] = file.shape.*f.field;
  for (const TuningSize& f : kTuningSizes) json["tuning"][f.name] = file.plan.tuning.*f.field;
  for (const TuningFlag& f : kTuningFlags) json["tuning"][f.name] = file.plan.tuning.*f.field;
  for (const LayerCall& call : file.plan.calls) {
    json["calls"].push_back(Json::array({layer_op_name(call.first), layer_op_name(call.last)}));
  }
  const std::vector<Design> designs = designs_of(file.layer(), file.plan.calls);
  json["overlay"] = hash_text(overlay_hash(designs.front()));
  for (const Design& design : designs) json["designs"].push_back(hash_text(design_hash(design)));
  json["modelled"] = {{"preset", modelled.preset},
                      {"objective", modelled.objective},
                      {"layer_ms", modelled.layer_ms},
                      {"by_hand_ms", modelled.by_hand_ms},
                      {"ddr_bytes", modelled.ddr_bytes}};
  return json.dump(2) + "\n";
}

PlanFile parse_plan_file(const std::string& text, const std::string& name) {
  const PlanReader reader(name);
  const Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) reader.fail("document", std::string(kDocument), "no JSON");
  try {
    return reader.read(json);
  } catch (const std::invalid_argument& error) {
    const std::string what = error.what();
    throw std::invalid_argument(what.starts_with(name + ": ") ? what : name + ": " + what);
  }
}

PlanFile read_plan_file(const std::filesystem::path& file) {
  std::error_code error;
  std::ifstream stream;
  // A device or a pipe might never end.
  if (std::filesystem::is_regular_file(file, error)) stream.open(file, std::ios::binary);
  if (!stream.is_open()) {
    throw std::invalid_argument(file.string() +
                                ": expected a plan that npu tune has written, found no readable "
                                "file");
  }
  return parse_plan_file({std::istreambuf_iterator<char>(stream), {}}, file.string());
}

void require_made_for(const PlanFile& file, const Target& target, const LayerShape& shape) {
  const std::string expected = plan_shape_text(target, shape);
  const std::string found = plan_shape_text(*file.target, file.shape);
  if (expected != found) {
    throw std::invalid_argument("layer plan: expected one for " + expected + ", found one for " +
                                found);
  }
}

}  // namespace wnpu::npu
