// Layers of a model in the data type that is asked for, and the error of each.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "models/base/tensor.h"
#include "models/files/model_file.h"
#include "models/quantize/product_layers.h"

namespace wnpu::models {

// How far values are from what they were.
struct RoundingError {
  double relative = 0;           // |rounded - exact| / |exact|, Euclidean; 0 where all are 0
  double cosine = 1;             // of the angle between the two
  std::optional<double> snr_db;  // -20 log10(relative); nothing: exact
};
RoundingError rounding_error(std::span<const float> exact, std::span<const float> rounded);

struct QuantizedLayer {
  ProductLayer layer;
  DType type = DType::f32;  // that the file gets
  bool stays_finer = false;
  RoundingError error;  // of the weights in the type that was asked for, also where it stays finer
  std::size_t n_weights = 0;
  std::size_t bytes_before = 0;
  std::size_t bytes = 0;  // scales included
};

struct QuantizeOptions {
  DType type = DType::i8_rows;
  std::optional<double> max_error;  // of RoundingError::relative; what is beyond stays finer
};

// One for each product, in the model's order. A layer at a time is in memory. Throws ModelError.
std::vector<QuantizedLayer> quantize_layers(const ModelFile& file, const QuantizeOptions& options);

// A layer's parts one below the other, in fp32. Throws ModelError for a NaN or infinity.
Matrix layer_weights(const ModelFile& file, const ProductLayer& layer);
// The type that keeps every value of a tensor: f32, f16 or bf16.
DType exact_type(DType dtype);

}  // namespace wnpu::models
