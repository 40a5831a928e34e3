// Report of each layer's quantisation error, for people and for programs.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/commands/quantize/evaluation.h"
#include "models/quantize/quantize.h"

namespace wnpu::app {

struct QuantizeReport {
  std::string model;
  std::string format;  // of what is written, a name of models/files
  models::DType precision = models::DType::i8_rows;
  std::optional<double> max_error;
  std::vector<models::QuantizedLayer> layers;  // worst first
  // Calibration, if there was one: the recordings, and for products that were fitted to them the
  // error without that, by the layer's name (models/quantize/calibrate.h).
  std::vector<std::string> recordings = {};
  std::map<std::string, models::RoundingError> before = {};
  std::optional<Evaluation> evaluation = {};
};

// Puts the layers in the report's order: largest relative error first.
void sort_worst_first(std::vector<models::QuantizedLayer>& layers);

std::string quantize_text(const QuantizeReport& report);
std::string quantize_json(const QuantizeReport& report);  // quantize.schema.json; with a newline
std::string quantize_html(const QuantizeReport& report);  // a page that needs nothing else

}  // namespace wnpu::app
