#include "app/commands/quantize/calibration.h"

#include <map>
#include <memory>
#include <utility>

#include "app/commands/quantize/greedy_transcripts.h"
#include "app/engine/windows/recognizer.h"
#include "audio/read/error.h"
#include "models/quantize/input_sample.h"

namespace wnpu::app {
namespace {

// Rows sampled of each product. A layer's hidden rows of large-v3 are 20 KB each: 3 GB for all of
// that model.
constexpr std::size_t kMostRows = 2048;

}  // namespace

models::ProductInputs inputs_on(const std::shared_ptr<const models::ModelFile>& model,
                                const std::vector<std::string>& recordings, unsigned threads) {
  std::map<std::string, std::unique_ptr<models::InputSample>> samples;
  const auto loaded = std::make_shared<LoadedModel>(model, models::Precision::fp32, threads);
  loaded->watch([&](const std::string& product) {
    return samples.emplace(product, std::make_unique<models::InputSample>(kMostRows))
        .first->second.get();
  });
  Recognizer recognizer(loaded, threads);
  for (const std::string& recording : recordings) {
    if (!text_of_all(greedy_transcript(recognizer, recording)).empty()) continue;
    throw audio::AudioError(recording + ": expected speech to calibrate with, found none");
  }
  models::ProductInputs inputs;
  for (const auto& [product, sample] : samples) inputs.emplace(product, sample->rows());
  return inputs;
}

}  // namespace wnpu::app
