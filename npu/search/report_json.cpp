// search_json: bench/search/search.schema.json says what its fields are.
#include <nlohmann/json.hpp>

#include "npu/search/report.h"

namespace wnpu::npu {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 3> kEndNames{"evaluations", "time", "space"};

Json optional_json(const std::optional<double>& value) { return value ? Json(*value) : Json(); }

Json member_json(const EncoderVariant& variant) {
  Json json{{"pooling", variant.pooling}, {"layers", Json::array()}};
  for (const LayerVariant& layer : variant.layers) {
    json["layers"].push_back({{"layer", layer.layer},
                              {"heads", layer.heads},
                              {"hidden", layer.hidden},
                              {"precision", precision_name(layer.precision)}});
  }
  return json;
}

Json member_json(const SearchReport& report, const Member& member, const MeasuredQuality* quality) {
  Json json{{"simulated_ms", member.exact.ms},
            {"predicted_ms", member.predicted_ms},
            {"memory_bytes", member.exact.memory_bytes},
            {"kept", member.kept},
            {"states_error", nullptr},
            {"quality", nullptr},
            {"variant", member_json(member.variant)}};
  if (report.objective == SearchObjective::states) json["states_error"] = member.loss;
  if (quality != nullptr) {
    json["quality"] = {
        {"wer", quality->wer()}, {"errors", quality->errors}, {"words", quality->words}};
  }
  return json;
}

Json space_json(const VariantSpace& space) {
  Json json{{"size", space.size()},        {"poolings", space.poolings},
            {"heads", space.heads},        {"hidden", space.hidden},
            {"precisions", Json::array()}, {"least_layers", space.least_layers}};
  for (const Precision precision : space.precisions) {
    json["precisions"].push_back(precision_name(precision));
  }
  return json;
}

Json counts_json(const SearchReport& report) {
  const VariantSearchResult& r = report.result;
  Json json{{"looked_at", r.n_looked_at},
            {"within_limits", r.n_within},
            {"ended_by", kEndNames[static_cast<std::size_t>(r.end)]},
            {"dropped", Json::array()},
            {"refused_layers", Json::array()}};
  for (const DroppedMember& d : r.dropped) {
    json["dropped"].push_back({{"variant", member_json(d.variant)}, {"reason", d.reason}});
  }
  for (const auto& [key, reason] : r.refused_layers) {
    json["refused_layers"].push_back({{"frames", key.frames},
                                      {"heads", key.heads},
                                      {"hidden", key.hidden},
                                      {"precision", precision_name(key.precision)},
                                      {"reason", reason}});
  }
  return json;
}

}  // namespace

std::string search_json(const SearchReport& report) {
  const VariantSearchOptions& o = report.options;
  const VariantSearchResult& r = report.result;
  Json json{{"document", "whisper-npu npu search"},
            {"schema_version", 1},
            {"kind", "modelled"},
            {"encoder", report.encoder},
            {"target", o.preset.target->name},
            {"preset", o.preset.name},
            {"objective", kSearchObjectiveNames[static_cast<std::size_t>(report.objective)]},
            {"method", method_name(o.method)},
            {"seed", o.seed},
            {"predictor", o.predictor->name},
            {"limits",
             {{"latency_ms", optional_json(o.most_ms)}, {"memory_mb", optional_json(o.most_mb)}}},
            {"space", space_json(o.space)},
            {"search", counts_json(report)},
            {"front", Json::array()}};
  for (std::size_t i = 0; i < r.front.size(); ++i) {
    json["front"].push_back(
        member_json(report, r.front[i], report.quality.empty() ? nullptr : &report.quality[i]));
  }
  if (r.nearest) json["nearest"] = member_json(report, *r.nearest, nullptr);
  json["whole"] =
      member_json(report, r.whole, report.whole_quality ? &*report.whole_quality : nullptr);
  json["recordings"] = report.n_recordings;
  json["notes"] = report.notes;
  return json.dump(2) + "\n";
}

}  // namespace wnpu::npu
