#include "app/models/quantize_report.h"

#include <algorithm>
#include <cstdio>

#include <nlohmann/json.hpp>

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

ordered_json json_of(const QuantizedLayer& layer) {
  ordered_json object = {{"layer", layer.layer.name()},
                         {"type", models::dtype_name(layer.type)},
                         {"stays_finer", layer.stays_finer},
                         {"relative_error", layer.error.relative},
                         {"cosine", layer.error.cosine},
                         {"snr_db", nullptr},
                         {"n_weights", layer.n_weights},
                         {"bytes_before", layer.bytes_before},
                         {"bytes", layer.bytes}};
  if (layer.error.snr_db) object["snr_db"] = *layer.error.snr_db;
  return object;
}

std::string formatted(const char* format, double value) {
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), format, value);
  return text.data();
}

std::string row_text(const QuantizedLayer& layer, std::size_t name_width) {
  std::string text = layer.layer.name();
  text.append(name_width - text.size(), ' ');
  text += formatted("  %9.6f", layer.error.relative) + formatted("  %9.7f", layer.error.cosine);
  text += layer.error.snr_db ? formatted("  %6.1f", *layer.error.snr_db) : "   exact";
  text += "  ";
  text += models::dtype_name(layer.type);
  if (layer.stays_finer) text += " (stays finer)";
  return text + "\n";
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
  std::string text = heading + "      error     cosine  SNR dB  type\n";
  for (const QuantizedLayer& layer : report.layers) text += row_text(layer, width);
  text += "layers: " + std::to_string(sum_of(report, &QuantizedLayer::bytes_before));
  text += " bytes before, " + std::to_string(sum_of(report, &QuantizedLayer::bytes)) + " now\n";
  return text;
}

std::string quantize_json(const QuantizeReport& report) {
  ordered_json object = {{"schema_version", 1},
                         {"model", report.model},
                         {"format", report.format},
                         {"precision", models::dtype_name(report.precision)},
                         {"max_error", nullptr},
                         {"bytes_before", sum_of(report, &QuantizedLayer::bytes_before)},
                         {"bytes", sum_of(report, &QuantizedLayer::bytes)},
                         {"layers", ordered_json::array()}};
  if (report.max_error) object["max_error"] = *report.max_error;
  for (const QuantizedLayer& layer : report.layers) object["layers"].push_back(json_of(layer));
  constexpr int kIndent = 2;
  // A path may be no UTF-8.
  return object.dump(kIndent, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::app
