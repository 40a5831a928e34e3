#include "decoder/search/language.h"

#include <algorithm>
#include <cassert>
#include <cmath>
#include <functional>

#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {

double no_speech_prob(std::span<const float> at_sot, const models::Vocabulary& vocabulary) {
  const float no_speech = at_sot[static_cast<std::size_t>(vocabulary.no_speech())];
  return std::exp(static_cast<double>(no_speech - kernels::log_sum_exp(at_sot)));
}

HeardLanguages hear_languages(Decoder& decoder, KvCache& cache,
                              const models::Vocabulary& vocabulary, const CrossKv& window) {
  assert(vocabulary.is_multilingual());
  const OpenSequences sequence(cache, 1);
  models::Matrix logits(1, decoder.dims().n_vocab);
  const StepRow sot{sequence.first(), vocabulary.sot(), true, &window};
  decoder.step(cache, {&sot, 1}, logits.view());
  HeardLanguages heard;
  heard.no_speech_prob = no_speech_prob(logits.view().row(0), vocabulary);

  // Language tokens follow sot; all others count as impossible.
  const auto languages = vocabulary.languages();
  const auto of_languages = logits.view().row(0).subspan(
      static_cast<std::size_t>(vocabulary.sot()) + 1, languages.size());
  kernels::softmax(of_languages);
  auto& probabilities = heard.probabilities;
  for (std::size_t i = 0; i < languages.size(); ++i) {
    probabilities.emplace_back(languages[i].code, static_cast<double>(of_languages[i]));
  }
  std::ranges::stable_sort(probabilities, std::greater{}, &std::pair<std::string, double>::second);
  return heard;
}

}  // namespace wnpu::decoder
