// A model fitted to what its products are given on recordings: channels balanced between a product
// and its input, and weights rounded for the product.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "models/base/tensor.h"
#include "models/base/thread_pool.h"
#include "models/files/model_file.h"
#include "models/quantize/quantize.h"

namespace wnpu::models {

// Rows that products were given, by ProductLayer::name(): [any, width].
using ProductInputs = std::map<std::string, Matrix>;

struct Calibration {
  // The model with its layers in the type that was asked for; what stays finer and what is no layer
  // is exact. `file` must outlive it.
  std::shared_ptr<const ModelFile> model;
  // One for each product, in the model's order. Where there is a sample of its inputs, `error` is
  // that of the product on rows which its weights were not rounded by.
  std::vector<QuantizedLayer> layers;
  // Errors of products without calibration, by name: each weight rounded to the nearest.
  std::map<std::string, RoundingError> before;
};

// Layers without a sample are rounded to the nearest; in int8, where there are samples of others,
// the embedding keeps its values. All of the model is in memory.
// Throws ModelError. No result depends on the threads.
Calibration calibrate(ThreadPool& pool, const ModelFile& file, const ProductInputs& inputs,
                      const QuantizeOptions& options);

}  // namespace wnpu::models
