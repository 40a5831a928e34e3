#include "bench/encoder/decoder_times.h"

#include <algorithm>
#include <vector>

#include "bench/input/random_weights.h"
#include "decoder/model/decoder.h"
#include "decoder/model/kv_cache.h"

namespace wnpu::bench {
namespace {

// Sequences begin again here: a window's text has about so many tokens.
constexpr std::size_t kLongest = 100;

double time_step(const DecoderUnderTest& model, std::size_t batch, models::ThreadPool& pool,
                 const TimingEffort& effort) {
  const models::Dims& dims = model.dims;
  const decoder::PackedDecoder weights(dims, model.weights, pool, model.precision);
  decoder::Decoder decoder(weights, pool);
  decoder::KvCache cache(dims, batch);
  const models::EncoderStates states{random_matrix(dims.n_audio_ctx, dims.n_audio_state, 1.0F)};
  std::vector<decoder::CrossKv> windows(batch);
  for (decoder::CrossKv& window : windows) decoder.cross_kv(states, window);
  std::vector<decoder::StepRow> rows(batch);
  for (std::size_t i = 0; i < batch; ++i) rows[i] = {i, 11, true, &windows[i]};
  models::Matrix logits(batch, dims.n_vocab);
  const auto step = [&] {
    const bool is_full = cache.length(0) == std::min(kLongest, dims.n_text_ctx);
    for (std::size_t i = 0; is_full && i < batch; ++i) cache.clear(i);
    decoder.step(cache, rows, logits.view());
  };
  return time_calls(step, effort).median;
}

}  // namespace

DecoderStep time_decoder_step(const DecoderUnderTest& model, std::size_t batch,
                              models::ThreadPool& pool, const TimingEffort& effort) {
  const std::size_t n_layers = model.weights.layers.size();
  models::Dims shallow = model.dims;
  const DecoderUnderTest part{shallow, model.weights, model.precision};
  shallow.n_text_layer = 0;
  DecoderStep time;
  time.fixed_s = time_step(part, batch, pool, effort);
  shallow.n_text_layer = n_layers;
  const double all = time_step(part, batch, pool, effort);
  time.layer_s = std::max(0.0, all - time.fixed_s) / static_cast<double>(n_layers);
  return time;
}

}  // namespace wnpu::bench
