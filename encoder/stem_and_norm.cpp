#include "encoder/stem_and_norm.h"

#include <stdexcept>
#include <string>

#include "models/kernels/vectors/ops.h"

namespace wnpu::encoder {

StemAndNorm::StemAndNorm(const PackedStemAndNorm& ends, models::ThreadPool& pool)
    : ends_(ends), pool_(pool), stem_(ends, pool.n_threads()) {}

void StemAndNorm::begin(const models::LogMel& mel, models::EncoderStates& states) {
  const models::Dims& dims = ends_.dims;
  if (mel.values.rows() != dims.n_mels || mel.values.cols() != dims.n_mel_frames()) {
    throw std::invalid_argument("encoder: expected log-mel [" + std::to_string(dims.n_mels) + ", " +
                                std::to_string(dims.n_mel_frames()) + "], found [" +
                                std::to_string(mel.values.rows()) + ", " +
                                std::to_string(mel.values.cols()) + "]");
  }
  if (states.values.rows() != dims.n_audio_ctx || states.values.cols() != dims.n_audio_state) {
    states.values = models::Matrix(dims.n_audio_ctx, dims.n_audio_state);
  }
  states.pooled = {};
  stem_.run(pool_, mel, states.values.view());
}

void StemAndNorm::end(models::EncoderStates& states) {
  kernels::layer_norm(pool_, states.values.view(), ends_.ln_post, states.values.view());
}

}  // namespace wnpu::encoder
