#include "models/quantize/quantize.h"

#include <cmath>

#include "models/files/tensor_layout.h"
#include "models/quantize/stored_values.h"
#include "models/weights/weights.h"

namespace wnpu::models {
namespace {

// The product's matrix of a part as it lies in the file.
const TensorView& view_of(const ModelFile& file, const std::string& part) {
  const Dims& dims = file.dims();
  const std::size_t state = part.starts_with("encoder.") ? dims.n_audio_state : dims.n_text_state;
  std::vector<std::size_t> shape = {state, state};
  if (part.ends_with(".mlp.0")) shape[0] *= 4;
  if (part.ends_with(".mlp.2")) shape[1] *= 4;
  if (part.ends_with(".token_embedding")) shape[0] = dims.n_vocab;
  return file.tensor(part + ".weight", shape);
}

// Bytes of a matrix' scales in the file: int8 has one a row, int16 one.
std::size_t scale_bytes(DType type, std::size_t rows) {
  if (!has_row_scales(type)) return 0;
  return (type == DType::i8_rows ? rows : 1) * sizeof(float);
}

std::size_t stored_bytes(DType type, const Matrix& weights) {
  const std::array shape{weights.rows(), weights.cols()};
  return storage_bytes(type, shape).value_or(0) + scale_bytes(type, weights.rows());
}

// The one that keeps the values of all parts.
DType exact_type_of(const ModelFile& file, const ProductLayer& layer) {
  const DType first = exact_type(view_of(file, layer.parts.front()).dtype);
  for (const std::string& part : layer.parts) {
    if (exact_type(view_of(file, part).dtype) != first) return DType::f32;
  }
  return first;
}

QuantizedLayer quantize_layer(const ModelFile& file, ProductLayer layer,
                              const QuantizeOptions& options) {
  const Matrix weights = layer_weights(file, layer);
  QuantizedLayer result;
  const Matrix rounded =
      rounded_to_nearest(weights.view(), options.type, file.path() + ": " + layer.name());
  result.error = rounding_error(weights.flat(), rounded.flat());
  result.stays_finer = options.max_error && result.error.relative > *options.max_error;
  result.type = result.stays_finer ? exact_type_of(file, layer) : options.type;
  result.n_weights = weights.size();
  result.bytes = stored_bytes(result.type, weights);
  result.bytes_before = scale_bytes(view_of(file, layer.parts.front()).dtype, weights.rows());
  for (const std::string& part : layer.parts) {
    result.bytes_before += view_of(file, part).bytes.size();
  }
  result.layer = std::move(layer);
  return result;
}

}  // namespace

RoundingError rounding_error(std::span<const float> exact, std::span<const float> rounded) {
  double exact_squares = 0;
  double rounded_squares = 0;
  double products = 0;
  double difference_squares = 0;
  for (std::size_t i = 0; i < exact.size(); ++i) {
    const double a = exact[i];
    const double b = rounded[i];
    exact_squares += a * a;
    rounded_squares += b * b;
    products += a * b;
    difference_squares += (b - a) * (b - a);
  }
  RoundingError error;
  if (difference_squares == 0) return error;
  constexpr double kDecibels = 20;
  error.relative = std::sqrt(difference_squares / exact_squares);
  error.snr_db = -kDecibels * std::log10(error.relative);
  // Rounded to zeros altogether: no angle.
  const double lengths = std::sqrt(exact_squares) * std::sqrt(rounded_squares);
  error.cosine = lengths == 0 ? 0 : std::min(products / lengths, 1.0);
  return error;
}

DType exact_type(DType dtype) {
  return dtype == DType::f16 || dtype == DType::bf16 ? dtype : DType::f32;
}

Matrix layer_weights(const ModelFile& file, const ProductLayer& layer) {
  std::size_t rows = 0;
  for (const std::string& part : layer.parts) rows += view_of(file, part).shape[0];
  Matrix weights = Matrix::uninitialised(rows, view_of(file, layer.parts.front()).row_size());
  std::span<float> rest = weights.flat();
  for (const std::string& part : layer.parts) {
    const TensorView& view = view_of(file, part);
    read_finite({view, file.path() + ": " + part + ".weight"}, rest.first(view.size()));
    rest = rest.subspan(view.size());
    release(view);
  }
  return weights;
}

std::vector<QuantizedLayer> quantize_layers(const ModelFile& file, const QuantizeOptions& options) {
  std::vector<QuantizedLayer> layers;
  for (ProductLayer& layer : product_layers(file.dims())) {
    layers.push_back(quantize_layer(file, std::move(layer), options));
  }
  return layers;
}

}  // namespace wnpu::models
