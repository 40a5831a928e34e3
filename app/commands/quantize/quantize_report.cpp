#include "app/commands/quantize/quantize_report.h"

#include <algorithm>
#include <array>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/formats/json_parts.h"
#include "app/formats/text_table.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

using models::QuantizedLayer;
using nlohmann::ordered_json;

template <typename Field>
std::size_t sum_of(const QuantizeReport& report, Field field) {
  std::size_t sum = 0;
  for (const QuantizedLayer& layer : report.layers) sum += layer.*field;
  return sum;
}

void put_error(const models::RoundingError& error, ordered_json& object) {
  object["relative_error"] = error.relative;
  object["cosine"] = error.cosine;
  object["snr_db"] = json_or_null(error.snr_db);
}

ordered_json layer_json(const QuantizedLayer& layer, const QuantizeReport& report) {
  const auto before = report.before.find(layer.layer.name());
  const bool is_fitted = before != report.before.end();
  ordered_json object = {{"layer", layer.layer.name()},
                         {"type", models::dtype_name(layer.type)},
                         {"stays_finer", layer.stays_finer},
                         {"error_of", is_fitted ? "product" : "weights"}};
  put_error(layer.error, object);
  object["uncalibrated"] = nullptr;
  if (is_fitted) {
    object["uncalibrated"] = ordered_json::object();
    put_error(before->second, object["uncalibrated"]);
  }
  object["n_weights"] = layer.n_weights;
  object["bytes_before"] = layer.bytes_before;
  object["bytes"] = layer.bytes;
  return object;
}

ordered_json layer_json(const Accuracy& hearing, bool has_references) {
  ordered_json object = {{"cpu_s", hearing.cpu_s},
                         {"wall_s", hearing.wall_s},
                         {"word_errors", nullptr},
                         {"words", nullptr}};
  if (!has_references) return object;
  object["word_errors"] = hearing.words.errors();
  object["words"] = hearing.words.reference;
  return object;
}

ordered_json layer_json(const Evaluation& evaluation) {
  const bool has_references = evaluation.n_references > 0;
  return {{"recordings", evaluation.n_recordings},
          {"with_reference", evaluation.n_references},
          {"same_text", evaluation.n_same_text},
          {"audio_s", evaluation.audio_s},
          {"precision", models::precision_name(evaluation.precision)},
          {"before", layer_json(evaluation.before, has_references)},
          {"after", layer_json(evaluation.after, has_references)}};
}

std::string snr_text(const models::RoundingError& error) {
  return error.snr_db ? decimal("  %6.1f", *error.snr_db) : "   exact";
}

std::string row_text(const QuantizedLayer& layer, const QuantizeReport& report,
                     std::size_t name_width) {
  std::string text = layer.layer.name();
  text.append(name_width - text.size(), ' ');
  text += decimal("  %9.6f", layer.error.relative) + decimal("  %9.7f", layer.error.cosine);
  text += snr_text(layer.error);
  if (!report.before.empty()) {
    const auto before = report.before.find(layer.layer.name());
    text += before == report.before.end() ? "  weights" : snr_text(before->second) + " ";
  }
  text += "  ";
  text += models::dtype_name(layer.type);
  if (layer.stays_finer) text += " (stays finer)";
  return text + "\n";
}

// Both times; word errors in percent, where there are references.
std::string hearing_text(const Evaluation& evaluation, const Accuracy& hearing) {
  constexpr double kPercent = 100;
  std::string text = decimal("%.1f s", hearing.wall_s) + decimal(", %.1f s of CPU", hearing.cpu_s);
  if (evaluation.n_references == 0) return text;
  return text + ", word errors " + decimal("%.2f %%", kPercent * hearing.words.rate());
}

std::string evaluation_text(const Evaluation& evaluation) {
  std::string text = "recordings: " + std::to_string(evaluation.n_same_text) + " of ";
  text += std::to_string(evaluation.n_recordings) + " with the same text\n";
  text += "before, fp32: " + hearing_text(evaluation, evaluation.before) + "\nnow, ";
  text += models::precision_name(evaluation.precision);
  return text + ": " + hearing_text(evaluation, evaluation.after) + "\n";
}

std::string page_row(const QuantizedLayer& layer, const QuantizeReport& report) {
  const auto before = report.before.find(layer.layer.name());
  const auto cell = [](const std::string& text) { return "<td>" + text + "</td>"; };
  std::string row = "<tr" + std::string(layer.stays_finer ? " class=\"finer\"" : "") + ">";
  row += cell(layer.layer.name()) + cell(before == report.before.end() ? "weights" : "product");
  row += cell(decimal("%.6f", layer.error.relative));
  row += cell(decimal("%.7f", layer.error.cosine)) + cell(snr_text(layer.error));
  row += cell(before == report.before.end() ? "" : snr_text(before->second));
  return row + cell(std::string(models::dtype_name(layer.type))) + "</tr>\n";
}

std::string page_facts(const QuantizeReport& report) {
  std::string facts = "model: " + report.model + "\nprecision: ";
  facts += models::dtype_name(report.precision);
  facts += "\nlayers: " + std::to_string(sum_of(report, &QuantizedLayer::bytes_before));
  facts += " bytes before, " + std::to_string(sum_of(report, &QuantizedLayer::bytes)) + " now\n";
  for (const std::string& recording : report.recordings) {
    facts += "calibrated with: " + recording + "\n";
  }
  if (report.evaluation) facts += evaluation_text(*report.evaluation);
  return facts;
}

// Text in HTML: entities for & < > and ".
std::string escaped_markup(std::string_view text) {
  constexpr std::array<std::pair<char, const char*>, 4> kEntities{
      {{'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}}};
  std::string result;
  for (const char c : text) {
    const auto* const found = std::ranges::find(kEntities, c, &std::pair<char, const char*>::first);
    result += found == kEntities.end() ? std::string(1, c) : found->second;
  }
  return result;
}

}  // namespace

void sort_worst_first(std::vector<QuantizedLayer>& layers) {
  std::ranges::stable_sort(layers, std::ranges::greater(),
                           [](const QuantizedLayer& layer) { return layer.error.relative; });
}

std::string quantize_text(const QuantizeReport& report) {
  std::string heading = "layer";
  std::size_t width = heading.size();
  for (const QuantizedLayer& layer : report.layers) {
    width = std::max(width, layer.layer.name().size());
  }
  heading.append(width - heading.size(), ' ');
  std::string text = heading + "      error     cosine  SNR dB";
  text += report.before.empty() ? "  type\n" : "   before  type\n";
  for (const QuantizedLayer& layer : report.layers) text += row_text(layer, report, width);
  text += "layers: " + std::to_string(sum_of(report, &QuantizedLayer::bytes_before));
  text += " bytes before, " + std::to_string(sum_of(report, &QuantizedLayer::bytes)) + " now\n";
  if (report.evaluation) text += evaluation_text(*report.evaluation);
  return text;
}

std::string quantize_html(const QuantizeReport& report) {
  std::string page = R"(<!DOCTYPE html>
<html lang="en"><head><meta charset="utf-8"><title>whisper-npu quantize</title>
<style>
body { font: 16px/1.5 system-ui, sans-serif; max-width: 70rem; margin: 2rem auto; padding: 0 1rem; }
table { border-collapse: collapse; } td, th { text-align: left; padding: .15rem 1rem .15rem 0; }
.finer { font-weight: 600; }
</style></head><body>
<h1>whisper-npu quantize</h1>
<pre>
)";
  page += escaped_markup(models::repair_utf8(page_facts(report)));
  page += R"(</pre>
<p>The largest error first; bold: stays finer. An error of a product is that of its result on rows
of the recordings, of weights that of the weights.</p>
<table>
<tr><th>Layer<th>Error of<th>Relative<th>Cosine<th>SNR, dB<th>Uncalibrated SNR, dB<th>Type</tr>
)";
  for (const QuantizedLayer& layer : report.layers) page += page_row(layer, report);
  return page + "</table>\n</body></html>\n";
}

std::string quantize_json(const QuantizeReport& report) {
  ordered_json object = {{"schema_version", 1},
                         {"model", report.model},
                         {"format", report.format},
                         {"precision", models::dtype_name(report.precision)},
                         {"max_error", json_or_null(report.max_error)},
                         {"calibrated_with", report.recordings},
                         {"evaluation", nullptr},
                         {"bytes_before", sum_of(report, &QuantizedLayer::bytes_before)},
                         {"bytes", sum_of(report, &QuantizedLayer::bytes)},
                         {"layers", ordered_json::array()}};
  if (report.evaluation) object["evaluation"] = layer_json(*report.evaluation);
  for (const QuantizedLayer& layer : report.layers)
    object["layers"].push_back(layer_json(layer, report));
  constexpr int kIndent = 2;
  // A path may be no UTF-8.
  return object.dump(kIndent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::app
