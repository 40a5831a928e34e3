#include "bench/search/variant_quality.h"

#include <algorithm>
#include <stdexcept>
#include <utility>

#include "app/engine/audio_input.h"
#include "app/engine/windows/clip_loop.h"
#include "app/engine/windows/recognizer.h"
#include "app/options/exit_code.h"
#include "bench/input/references.h"
#include "bench/rtf/transcribe_runs.h"
#include "encoder/encoder.h"
#include "encoder/variant/variant_backend.h"

namespace wnpu::bench {
namespace {

using app::UsageError;

constexpr const char* kEnglish = "en";

// A variant in the place of the model's layers.
class VariantDevice : public app::EncoderSet {
 public:
  explicit VariantDevice(const npu::EncoderVariant& variant) : variant_(variant) {}

  void load(const app::LoadedModel& model, std::size_t n_threads) override {
    pool_ = std::make_unique<models::ThreadPool>(n_threads);
    encoder_ = std::make_unique<encoder::Encoder>(
        model.stem_and_norm(),
        std::make_unique<encoder::VariantBackend>(model.dims(), model.device_layers().layers,
                                                  variant_, *pool_),
        *pool_);
  }
  std::vector<app::NamedEncoder> begin_file(std::size_t /*n_at_once*/) override {
    return {{"variant", encoder_.get()}};
  }

 private:
  const npu::EncoderVariant& variant_;
  std::unique_ptr<models::ThreadPool> pool_;
  std::unique_ptr<encoder::Encoder> encoder_;
};

TranscribeOptions plain_options() {
  TranscribeOptions options;
  options.language = kEnglish;
  options.beam_size = 1;
  options.temperature_increment_on_fallback.reset();
  options.condition_on_previous_text = false;
  return options;
}

void require_normalizer() {
  try {
    TextNormalizer normalize{normalizer_command()};
    normalize("Yes.", kEnglish);
  } catch (const std::runtime_error& error) {
    throw UsageError(std::string("--measure-quality: ") + error.what() +
                     "; share/whisper-npu/peers.sh --normalizer makes the environment of the "
                     "normaliser");
  }
}

}  // namespace

VariantQuality::VariantQuality(const std::filesystem::path& references, std::size_t most_recordings,
                               unsigned threads)
    : references_(references), files_(references_.files(kEnglish)), threads_(threads) {
  if (files_.empty()) {
    throw UsageError("--references " + references.string() +
                     ": expected recordings in English with what is said in them, found none");
  }
  if (most_recordings > 0) files_.resize(std::min(files_.size(), most_recordings));
  require_normalizer();
}

npu::MeasuredQuality VariantQuality::measure(const std::shared_ptr<const app::LoadedModel>& model,
                                             const npu::EncoderVariant& variant) const {
  VariantDevice device(variant);
  app::Recognizer recognizer(model, threads_, &device);
  std::vector<Heard> heard;
  for (const std::string& file : files_) {
    const Audio audio{.path = file};
    const Transcript transcript =
        app::transcribe_file(recognizer, plain_options(), app::input_of(audio));
    heard.push_back({"whisper-npu", file, transcript.input.duration, text_of(transcript), {}, {}});
  }
  npu::MeasuredQuality quality;
  for (const ErrorCounts& counts : references_.score(heard).words) {
    quality.errors += counts.errors();
    quality.words += counts.reference;
  }
  return quality;
}

}  // namespace wnpu::bench
