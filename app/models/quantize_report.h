// What quantisation costs each layer, for people and for programs.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "models/quantize/quantize.h"

namespace wnpu::app {

struct QuantizeReport {
  std::string model;
  std::string format;  // of what is written, a name of models/files
  models::DType precision = models::DType::i8_rows;
  std::optional<double> max_error;
  std::vector<models::QuantizedLayer> layers;  // worst first
};

// Puts the layers in the report's order: largest relative error first.
void sort_worst_first(std::vector<models::QuantizedLayer>& layers);

std::string quantize_text(const QuantizeReport& report);
std::string quantize_json(const QuantizeReport& report);  // quantize.schema.json; with a newline

}  // namespace wnpu::app
