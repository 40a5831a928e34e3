#include "app/model_store/packed_model.h"

#include <algorithm>

#include "decoder/model/packed_decoder.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "encoder/stem.h"
#include "models/kernels/vectors/blas.h"
#include "models/quantize/packed_writer.h"
#include "models/weights/prepacked_weights.h"
#include "models/weights/weights.h"

namespace wnpu::app {
namespace {

models::PackedOrigin origin_of(const models::ModelFile& file, const PackedOrder& order) {
  models::PackedOrigin origin{.made_by = order.made_by,
                              .packing = models::present_packing(),
                              .precisions = {},
                              .source_format = std::string(file.format()),
                              .source_sha256 = order.source_sha256};
  for (const models::Precision precision : order.precisions)
    origin.precisions.emplace_back(models::precision_name(precision));
  if (const models::PackedOrigin* const before = file.origin()) {
    origin.source_format = before->source_format;
    origin.source_sha256 = before->source_sha256;
  }
  return origin;
}

}  // namespace

void write_packed_model(models::ModelFile& file, const PackedOrder& order, std::size_t n_threads,
                        const models::Sink& sink) {
  models::PackedWriter writer(sink, file, origin_of(file, order));
  models::OperandStore* const before = file.operands();
  file.use_operands(&writer);
  models::ThreadPool pool(n_threads);
  // Whoever packs them keeps them.
  for (const models::Precision precision : order.precisions) {
    (void)encoder::PackedStemAndNorm(file.dims(), models::find_encoder_ends(file), pool, precision);
    (void)encoder::CpuLayers(precision, file.dims(), models::find_encoder_layers(file), pool);
    (void)decoder::PackedDecoder(file.dims(), models::find_decoder_weights(file), pool, precision);
  }
  writer.finish();
  file.use_operands(before);
}

std::string misfit(const models::PackedOrigin& origin, models::Precision precision) {
  if (kernels::gemm_in_use() != kernels::Gemm::own) return "";
  const models::Packing here = models::present_packing();
  if (origin.packing.instructions != here.instructions)
    return "it was packed for " + origin.packing.instructions + ", here is " + here.instructions;
  if (origin.packing.build != here.build) return "another build packed it: " + origin.made_by;
  const std::string name(models::precision_name(precision));
  if (std::ranges::find(origin.precisions, name) != origin.precisions.end()) return "";
  return "it was not packed for " + name;
}

std::vector<models::Precision> packed_precisions(const models::PackedOrigin& origin) {
  std::vector<models::Precision> known;
  for (const std::string& name : origin.precisions) {
    if (const auto precision = models::parse_precision(name)) known.push_back(*precision);
  }
  return known;
}

}  // namespace wnpu::app
