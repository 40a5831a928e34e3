#include "models/quantize/calibrate.h"

#include <algorithm>
#include <array>
#include <functional>
#include <span>
#include <utility>

#include "models/files/tensor_layout.h"
#include "models/kernels/vectors/half_floats.h"
#include "models/kernels/vectors/ops.h"
#include "models/quantize/balance.h"
#include "models/quantize/block_search.h"
#include "models/quantize/product_layers.h"
#include "models/quantize/rounding_search.h"
#include "models/quantize/stored_values.h"
#include "models/weights/weights.h"

namespace wnpu::models {
namespace {

// Rows of a sample that factors are chosen by and errors are told of; weights are rounded by the
// others.
constexpr std::size_t kJudgingRows = 256;

// A model of which some tensors have values of their own.
class ChangedModel final : public ModelFile {
 public:
  explicit ChangedModel(const ModelFile& file) {
    path_ = file.path();
    format_ = file.format();
    dims_ = file.dims();
    config_ = file.config();
    token_bytes_ = file.token_bytes();
    tensors_ = file.tensors();
  }

  std::vector<float> values(const std::string& name) const {
    const TensorView& view = tensors_.at(name);
    std::vector<float> values(view.size());
    read_finite({view, path_ + ": " + name}, values);
    return values;
  }

  void set_values(const std::string& name, std::vector<float> values) {
    std::vector<float>& kept = values_[name] = std::move(values);
    TensorView& view = tensors_.at(name);
    view = {.shape = view.shape, .bytes = std::as_bytes(std::span(kept))};
  }

  // As the reader of a file gives them.
  void set_stored(const std::string& name, DType type, StoredValues values) {
    StoredValues& kept = stored_[name] = std::move(values);
    TensorView& view = tensors_.at(name);
    view = {.dtype = type,
            .shape = view.shape,
            .bytes = std::as_bytes(std::span(kept.bytes)),
            .row_scales = kept.row_scales};
  }

 private:
  std::map<std::string, std::vector<float>> values_;
  std::map<std::string, StoredValues> stored_;
};

ConstMatrixView judging_rows(const Matrix& sample) {
  return sample.view().row_range(0, std::min(kJudgingRows, sample.rows()));
}

// All of them where there are few.
ConstMatrixView rounding_rows(const Matrix& sample) {
  const std::size_t n = sample.rows();
  if (n < 2 * kJudgingRows) return sample.view();
  return sample.view().row_range(kJudgingRows, n - kJudgingRows);
}

Matrix stacked_weights(const ModelFile& file, const std::vector<ProductLayer>& layers) {
  ProductLayer all;
  for (const ProductLayer& layer : layers)
    all.parts.insert(all.parts.end(), layer.parts.begin(), layer.parts.end());
  return layer_weights(file, all);
}

class Calibrator {
 public:
  Calibrator(ThreadPool& pool, const ModelFile& file, const ProductInputs& inputs,
             const QuantizeOptions& options)
      : pool_(pool),
        file_(file),
        inputs_(inputs),
        options_(options),
        model_(std::make_unique<ChangedModel>(file)) {}

  void balance(const EqualizationPair& point) {
    const Matrix* const sample = sample_of(point.takers.front());
    if (sample == nullptr) return;
    const Matrix weights = stacked_weights(file_, point.takers);
    const ChannelFactors factors = search_factors(pool_, judging_rows(*sample), weights.view(),
                                                  rounding_of(point.takers.front(), options_.type));
    for (const ProductLayer& taker : point.takers) columns_[taker.name()] = factors;
    for (const std::string& giver : point.givers) divide_channels(giver, factors);
  }

  void round(QuantizedLayer& layer) {
    const std::string name = layer.layer.name();
    const Matrix weights = layer_weights(file_, layer.layer);
    const auto found = columns_.find(name);
    const ChannelFactors factors =
        found != columns_.end() ? found->second : ChannelFactors(weights.cols(), 1.0F);
    // All of these factors are powers of two: what is rounded below is what the file gets.
    Matrix scaled = with_multiplied_columns(weights.view(), factors);
    const std::vector<float> divided = row_factors(layer.layer, weights.rows());
    scale_rows(scaled, divided, [](float factor) { return 1 / factor; });
    const Matrix* const sample = sample_of(layer.layer);
    const StoredValues rounded = sample != nullptr
                                     ? rounded_for(*sample, factors, scaled, name)
                                     : stored_values(options_.type, scaled.view(), name);
    if (sample != nullptr) {
      const ProductError error(pool_, judging_rows(*sample), weights.view(),
                               rounding_of(layer.layer, options_.type));
      before_.emplace(name, error.of(ChannelFactors(weights.cols(), 1.0F)));
      Matrix values = read_back(rounded, options_.type, weights.rows(), weights.cols());
      scale_rows(values, divided, [](float factor) { return factor; });
      layer.error = error.of(factors, values.view());
    }
    layer.stays_finer = is_left_out(layer.layer) ||
                        (options_.max_error && layer.error.relative > *options_.max_error);
    if (!layer.stays_finer) return put(layer, rounded, weights.rows());
    layer.type = kernels::are_f16(scaled.flat()) ? DType::f16 : DType::f32;
    const std::array shape{weights.rows(), weights.cols()};
    layer.bytes = storage_bytes(layer.type, shape).value_or(0);
    put_exact(layer, scaled.view());
  }

  Calibration result(std::vector<QuantizedLayer> layers) {
    return {std::move(model_), std::move(layers), std::move(before_)};
  }

 private:
  const Matrix* sample_of(const ProductLayer& layer) const {
    const auto found = inputs_.find(layer.name());
    return found == inputs_.end() || found->second.rows() == 0 ? nullptr : &found->second;
  }

  // The embedding, of whose product there is no sample, where other layers are fitted: rounded to
  // the nearest it would lose more words than they do, and a step reads few of its rows.
  bool is_left_out(const ProductLayer& layer) const {
    return options_.type == DType::i8_rows && !inputs_.empty() && !layer.has_bias;
  }

  StoredValues rounded_for(const Matrix& sample, const ChannelFactors& factors,
                           const Matrix& weights, const std::string& name) {
    const bool is_int8 = options_.type == DType::i8_rows;
    if (!is_int8 && block_layout(options_.type).elements == 1) {
      // bf16's values have scales of their own, and int16's steps are small.
      return stored_values(options_.type, weights.view(), name);
    }
    const Matrix inputs = with_divided_columns(rounding_rows(sample), factors);
    const Matrix moments = second_moments(pool_, inputs.view());
    if (!is_int8) {
      return blocks_for_product(pool_, {weights.view(), moments.view()}, options_.type, name);
    }
    const Matrix rounded = round_for_product(pool_, weights.view(), moments.view());
    return stored_values(DType::i8_rows, rounded.view(), name);
  }

  // A vector's values; of a matrix, its rows, once these are put.
  void divide_channels(const std::string& giver, const ChannelFactors& factors) {
    if (giver.ends_with(".value.weight")) {
      rows_[giver] = factors;
      return;
    }
    std::vector<float> values = model_->values(giver);
    std::ranges::transform(values, factors, values.begin(), std::divides());
    model_->set_values(giver, std::move(values));
  }

  // Divisors of the layer's rows.
  std::vector<float> row_factors(const ProductLayer& layer, std::size_t n_rows) const {
    std::vector<float> factors(n_rows, 1.0F);
    const std::size_t part_rows = n_rows / layer.parts.size();
    for (std::size_t part = 0; part < layer.parts.size(); ++part) {
      const auto divided = rows_.find(layer.parts[part] + ".weight");
      if (divided == rows_.end()) continue;
      std::ranges::copy(divided->second,
                        factors.begin() + static_cast<std::ptrdiff_t>(part * part_rows));
    }
    return factors;
  }

  template <typename By>
  static void scale_rows(Matrix& weights, std::span<const float> factors, const By& by) {
    for (std::size_t r = 0; r < weights.rows(); ++r) kernels::scale(weights.row(r), by(factors[r]));
  }

  void put(const QuantizedLayer& layer, const StoredValues& values, std::size_t n_rows) {
    const std::size_t n_parts = layer.layer.parts.size();
    const std::size_t n_bytes = values.bytes.size() / n_parts;
    const std::size_t n_scales = values.row_scales.empty() ? 0 : n_rows / n_parts;
    for (std::size_t part = 0; part < n_parts; ++part) {
      const auto scales = std::span(values.row_scales).subspan(part * n_scales, n_scales);
      model_->set_stored(layer.layer.parts[part] + ".weight", layer.type,
                         {.bytes = values.bytes.substr(part * n_bytes, n_bytes),
                          .row_scales = {scales.begin(), scales.end()}});
    }
  }

  void put_exact(const QuantizedLayer& layer, ConstMatrixView weights) {
    const std::size_t part_rows = weights.rows / layer.layer.parts.size();
    std::size_t first = 0;
    for (const std::string& part : layer.layer.parts) {
      const ConstMatrixView rows = weights.row_range(first, part_rows);
      first += part_rows;
      model_->set_values(part + ".weight", {rows.data, rows.data + rows.rows * rows.cols});
    }
  }

  ThreadPool& pool_;
  const ModelFile& file_;
  const ProductInputs& inputs_;
  const QuantizeOptions& options_;
  std::unique_ptr<ChangedModel> model_;
  std::map<std::string, ChannelFactors> columns_;  // a product
  std::map<std::string, ChannelFactors> rows_;     // a tensor
  std::map<std::string, RoundingError> before_;
};

}  // namespace

Calibration calibrate(ThreadPool& pool, const ModelFile& file, const ProductInputs& inputs,
                      const QuantizeOptions& options) {
  Calibrator calibrator(pool, file, inputs, options);
  for (const EqualizationPair& point : equalization_pairs(file.dims())) calibrator.balance(point);
  // Without a sample the errors of the weights say which layers keep the file's values.
  std::vector<QuantizedLayer> layers =
      quantize_layers(file, inputs.empty() ? options : QuantizeOptions{options.type, {}});
  for (QuantizedLayer& layer : layers) {
    if (!layer.stays_finer) calibrator.round(layer);
  }
  return calibrator.result(std::move(layers));
}

}  // namespace wnpu::models
