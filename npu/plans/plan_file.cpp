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

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::string_view kDocument = "whisper-npu layer plan";
constexpr int kPlanSchema = 1;
constexpr int kMostNested = 16;  // levels

struct ShapeField {
  const char* name;
  std::size_t LayerShape::*field;
};
constexpr std::array kShape{
    ShapeField{"frames", &LayerShape::frames}, ShapeField{"width", &LayerShape::width},
    ShapeField{"heads", &LayerShape::heads}, ShapeField{"hidden", &LayerShape::hidden}};
constexpr std::size_t kMostSize = 1 << 20;

struct TuningSize {
  const char* name;
  std::size_t LayerTuning::*field;
};
constexpr std::array kTuningSizes{TuningSize{"state_tile", &LayerTuning::state_tile},
                                  TuningSize{"qkv_tile", &LayerTuning::qkv_tile},
                                  TuningSize{"norm_rows", &LayerTuning::norm_rows},
                                  TuningSize{"a_slots", &LayerTuning::a_slots},
                                  TuningSize{"b_slots", &LayerTuning::b_slots},
                                  TuningSize{"state_panels", &LayerTuning::state_panels},
                                  TuningSize{"qkv_row_blocks", &LayerTuning::qkv_row_blocks}};
struct TuningFlag {
  const char* name;
  bool LayerTuning::*field;
};
constexpr std::array kTuningFlags{TuningFlag{"keeps_hidden", &LayerTuning::keeps_hidden},
                                  TuningFlag{"attends_padding", &LayerTuning::attends_padding},
                                  TuningFlag{"broadcasts_keys", &LayerTuning::broadcasts_keys}};

std::string plan_shape_text(const Target& target, const LayerShape& s) {
  return std::string(target.name) + ", " + std::to_string(s.frames) + " frames of " +
         std::to_string(s.width) + ", " + std::to_string(s.heads) + " heads, hidden " +
         std::to_string(s.hidden);
}

// Fields that a text has to have: all of a plan file, any of a line.
enum class Extent { whole, part };

// Reads the parts of one document.
class PlanReader {
 public:
  PlanReader(std::string name, Extent extent) : name_(std::move(name)), extent_(extent) {}

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
    read_fields(json, file);
    require_hashes(json, file);
    return file;
  }

  DesignLine read_line(const Json& json, const PlanFile& usual) const {
    require_fields(object("a design", json),
                   {"id", "preset", "target", "precision", "shape", "tuning", "calls"});
    DesignLine line{{}, {}, usual};
    if (const Json* id = field(json, "id")) line.id = text("id", *id);
    if (const Json* preset = field(json, "preset")) line.preset = text("preset", *preset);
    read_fields(json, line.design);
    return line;
  }

  [[noreturn]] void fail(const std::string& where, const std::string& expected,
                         const std::string& found) const {
    throw std::invalid_argument(name_ + ": " + where + ": expected " + expected + ", found " +
                                found);
  }

 private:
  // Null where a part has no such field.
  const Json* field(const Json& parent, const char* key) const {
    const auto found = parent.find(key);
    if (found != parent.end()) return &*found;
    if (extent_ == Extent::whole) fail(key, "a value", "none");
    return nullptr;
  }
  const Json& member(const Json& parent, const char* key) const {
    const Json* const found = field(parent, key);
    if (found == nullptr) fail(key, "a value", "none");
    return *found;
  }
  const Json& object(const char* key, const Json& value) const {
    if (!value.is_object()) fail(key, "an object", value.dump());
    return value;
  }
  std::string text(const char* key, const Json& value) const {
    if (!value.is_string()) fail(key, "a text", value.dump());
    return value.get<std::string>();
  }
  void read_size(const Json& parent, const char* key, std::size_t& size) const {
    const Json* const value = field(parent, key);
    if (value == nullptr) return;
    if (!value->is_number_unsigned() || value->get<std::uint64_t>() > kMostSize) {
      fail(key, "a whole number up to " + std::to_string(kMostSize), value->dump());
    }
    size = value->get<std::size_t>();
  }
  void require_fields(const Json& parent, const std::set<std::string>& known) const {
    for (const auto& [key, value] : parent.items()) {
      if (!known.contains(key)) fail(key, "no such field", value.dump());
    }
  }

  void read_fields(const Json& json, PlanFile& file) const {
    if (const Json* value = field(json, "target")) {
      file.target = find_target(text("target", *value));
      if (file.target == nullptr) fail("target", "npu1 or npu4", value->dump());
    }
    if (const Json* value = field(json, "precision")) {
      const auto precision = find_precision(text("precision", *value));
      if (!precision) fail("precision", "bf16 or int8", value->dump());
      file.precision = *precision;
    }
    if (const Json* value = field(json, "shape")) read_shape(object("shape", *value), file.shape);
    if (const Json* value = field(json, "tuning")) {
      read_tuning(object("tuning", *value), file.plan.tuning);
    }
    if (const Json* value = field(json, "calls")) file.plan.calls = calls(*value);
  }

  void read_shape(const Json& json, LayerShape& shape) const {
    std::set<std::string> known;
    for (const ShapeField& f : kShape) {
      read_size(json, f.name, shape.*f.field);
      known.insert(f.name);
    }
    if (extent_ == Extent::part) require_fields(json, known);
  }

  void read_tuning(const Json& json, LayerTuning& tuning) const {
    std::set<std::string> known;
    for (const TuningSize& f : kTuningSizes) {
      read_size(json, f.name, tuning.*f.field);
      known.insert(f.name);
    }
    for (const TuningFlag& f : kTuningFlags) {
      known.insert(f.name);
      const Json* const value = field(json, f.name);
      if (value == nullptr) continue;
      if (!value->is_boolean()) fail(f.name, "true or false", value->dump());
      tuning.*f.field = value->get<bool>();
    }
    require_fields(json, known);
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
  Extent extent_;
};

// The document, by a function of the reader; errors of shapes and tunings get the name as well.
template <typename Read>
auto read_json(std::string_view text, const std::string& name, Extent extent, const Read& read) {
  const PlanReader reader(name, extent);
  const char* const what = extent == Extent::part ? "a design" : "document";
  // Messages print values, by a function that calls itself for each level.
  const auto watch = [&](int depth, Json::parse_event_t /*event*/, const Json& /*value*/) {
    if (depth <= kMostNested) return true;
    reader.fail(what, "at most " + std::to_string(kMostNested) + " levels of nesting", "more");
  };
  const Json json = Json::parse(text, watch, false);
  if (json.is_discarded()) {
    reader.fail(what, extent == Extent::part ? "an object" : std::string(kDocument), "no JSON");
  }
  try {
    return read(reader, json);
  } catch (const std::invalid_argument& error) {
    const std::string told = error.what();
    throw std::invalid_argument(told.starts_with(name + ": ") ? told : name + ": " + told);
  }
}

}  // namespace

TunedLayer PlanFile::layer() const { return tuned_layer(*target, shape, precision, plan.tuning); }

std::string plan_file_text(const PlanFile& file) {
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
  return json.dump(2) + "\n";
}

PlanFile parse_plan_file(const std::string& text, const std::string& name) {
  return read_json(text, name, Extent::whole,
                   [](const PlanReader& reader, const Json& json) { return reader.read(json); });
}

DesignLine parse_design_line(std::string_view text, const std::string& name,
                             const PlanFile& usual) {
  return read_json(text, name, Extent::part, [&](const PlanReader& reader, const Json& json) {
    return reader.read_line(json, usual);
  });
}

PlanFile read_plan_file(const std::filesystem::path& file) {
  std::error_code error;
  std::ifstream stream;
  // A device or a pipe might never end.
  if (std::filesystem::is_regular_file(file, error)) stream.open(file, std::ios::binary);
  if (!stream.is_open()) {
    throw std::invalid_argument(file.string() + ": expected a layer plan, found no readable file");
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
