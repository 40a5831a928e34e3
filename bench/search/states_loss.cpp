#include "bench/search/states_loss.h"

#include <utility>

#include "audio/mel/mel_source.h"
#include "audio/read/pcm_reader.h"
#include "encoder/encoder.h"
#include "encoder/variant/variant_backend.h"

namespace wnpu::bench {

StatesLoss::StatesLoss(std::shared_ptr<const app::LoadedModel> model,
                       const std::filesystem::path& recording, unsigned threads)
    : model_(std::move(model)), pool_(threads) {
  std::size_t samples = 0;
  audio::MelOptions options;
  options.on_pcm = [&samples](std::span<const float> pcm) { samples += pcm.size(); };
  options.should_stop = [&samples] { return samples >= std::size_t{30} * audio::kSampleRate; };
  audio::MelSource source({recording, {}}, model_->dims().n_mels, options);
  source.window(0, mel_);
  whole_ = states_of(npu::whole_variant(encoder::whole_encoder(model_->dims())));
}

models::EncoderStates StatesLoss::states_of(const npu::EncoderVariant& variant) {
  encoder::VariantBackend layers(model_->dims(), model_->device_layers().layers, variant, pool_);
  encoder::Encoder encoder(model_->stem_and_norm(), layers, pool_);
  models::EncoderStates states;
  encoder.encode(mel_, states);
  return states;
}

std::vector<double> StatesLoss::operator()(std::span<const npu::EncoderVariant> variants) {
  std::vector<double> losses;
  for (const npu::EncoderVariant& variant : variants) {
    const models::EncoderStates states = states_of(variant);
    const std::span<const float> found = states.values.flat();
    const std::span<const float> expected = whole_.values.flat();
    double difference = 0;
    double square = 0;
    for (std::size_t i = 0; i < expected.size(); ++i) {
      const double d = double{found[i]} - double{expected[i]};
      difference += d * d;
      square += double{expected[i]} * double{expected[i]};
    }
    losses.push_back(difference / square);
  }
  return losses;
}

}  // namespace wnpu::bench
