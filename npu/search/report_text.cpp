#include <array>
#include <cstdio>

#include "npu/search/report.h"

namespace wnpu::npu {
namespace {

std::string fixed_digits(double value, int digits) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

// "1998", and "9.3e33" where there are too many digits to read.
std::string size_digits(double size) {
  if (size < 1e12) return fixed_digits(size, 0);
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1e", size);
  return text.data();
}

std::string right_aligned(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 0, ' ') + text;
}

std::string limit_text(const std::optional<double>& limit, const char* unit) {
  if (!limit) return "any";
  std::string text = "at most " + fixed_digits(*limit, 3);
  while (text.back() == '0') text.pop_back();
  if (text.back() == '.') text.pop_back();
  return text + " " + unit;
}

std::string quality_cells(const MeasuredQuality* quality) {
  if (quality == nullptr) return "";
  return right_aligned(fixed_digits(100 * quality->wer(), 1) + " %", 10);
}

bool has_states(const SearchReport& report) { return report.objective == SearchObjective::states; }

std::string row(const SearchReport& report, const std::string& name, const Member& m,
                const MeasuredQuality* quality) {
  std::string text = right_aligned(name, 8) + right_aligned(fixed_digits(m.exact.ms, 3), 11);
  text += right_aligned(fixed_digits(m.predicted_ms, 3), 11);
  text += right_aligned(fixed_digits(m.exact.memory_mb(), 2), 9);
  text += right_aligned(fixed_digits(100 * m.kept, 1), 8);
  if (has_states(report)) text += right_aligned(fixed_digits(100 * m.loss, 2) + " %", 10);
  text += quality_cells(quality);
  return text + "  " + variant_text(m.variant) + "\n";
}

std::string head(const SearchReport& r) {
  const VariantSearchOptions& o = r.options;
  std::string text = r.encoder + " on " + std::string(o.preset.target->name) + ", " + o.preset.name;
  text +=
      ": encoders by " + std::string(method_name(o.method)) + ", seed " + std::to_string(o.seed);
  text += ", predictor " + std::string(o.predictor->name);
  text += "; all modelled, nothing was run on an NPU\n";
  text += "limits of a window's layers: time " + limit_text(o.most_ms, "ms") + ", memory " +
          limit_text(o.most_mb, "MB") + "\n";
  return text;
}

std::string end_text(const SearchReport& report) {
  switch (report.result.end) {
    case SearchEnd::space:
      return "all there are";
    case SearchEnd::time:
      return "time was up: another machine would have looked at others";
    case SearchEnd::evaluations:
      break;
  }
  return "as many as were asked for";
}

std::string counts(const SearchReport& report) {
  const VariantSearchResult& r = report.result;
  std::string text = std::to_string(r.n_looked_at) + " of " + size_digits(r.space_size);
  text += " variants looked at (" + end_text(report) + "), " + std::to_string(r.n_within);
  text += " within the limits by the predictor, in " + fixed_digits(report.seconds, 1) + " s\n";
  for (const DroppedMember& d : r.dropped) {
    text += "dropped: " + variant_text(d.variant) + ": " + d.reason + "\n";
  }
  for (const auto& [key, reason] : r.refused_layers) {
    text += "refused: layers of " + std::to_string(key.frames) + " frames, " +
            std::to_string(key.heads) + " heads, hidden " + std::to_string(key.hidden) + ", " +
            std::string(precision_name(key.precision)) + ": " + reason + "\n";
  }
  return text;
}

}  // namespace

std::string search_text(const SearchReport& report) {
  const VariantSearchResult& r = report.result;
  const bool has_quality = !report.quality.empty() || report.whole_quality;
  std::string text = head(report);
  text +=
      right_aligned("member", 8) + right_aligned("simulated", 11) + right_aligned("predicted", 11);
  text += right_aligned("MB", 9) + right_aligned("kept %", 8);
  if (has_states(report)) text += right_aligned("states", 10);
  if (has_quality) text += right_aligned("WER", 10);
  text += "  variant (times in ms)\n";
  for (std::size_t i = 0; i < r.front.size(); ++i) {
    text += row(report, std::to_string(i + 1), r.front[i],
                report.quality.empty() ? nullptr : &report.quality[i]);
  }
  if (r.nearest) text += row(report, "nearest", *r.nearest, nullptr);
  text += row(report, "whole", r.whole, report.whole_quality ? &*report.whole_quality : nullptr);
  if (!r.front.empty()) {
    text += "no member is beaten in time, memory and what is ";
    text += has_states(report) ? "wrong in the states" : "kept";
    text += "; kept: of multiply-adds, those of int8 as halves\n";
  }
  if (has_states(report)) {
    text += "states: their squared error in one window, measured, as a share of their square\n";
  }
  text += counts(report);
  if (has_quality) {
    text += "WER measured on " + std::to_string(report.n_recordings) +
            " recordings: the variant cut out of the model's weights, nothing trained again\n";
  }
  for (const std::string& note : report.notes) text += "note: " + note + "\n";
  return text;
}

}  // namespace wnpu::npu
