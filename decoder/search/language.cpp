#include "decoder/search/language.h"

#include <algorithm>
#include <cassert>
#include <functional>

#include "models/kernels/vectors/ops.h"

namespace wnpu::decoder {

std::vector<std::pair<std::string, double>> language_probabilities(
    Decoder& decoder, KvCache& cache, const models::Vocabulary& vocabulary, const CrossKv& window) {
  assert(vocabulary.is_multilingual());
  cache.clear(0);
  models::Matrix logits(1, decoder.dims().n_vocab);
  const StepRow sot{0, vocabulary.sot(), true, &window};
  decoder.step(cache, {&sot, 1}, logits.view());
  cache.clear(0);

  // Language tokens follow sot; all others count as impossible.
  const auto languages = vocabulary.languages();
  const auto of_languages = logits.view().row(0).subspan(
      static_cast<std::size_t>(vocabulary.sot()) + 1, languages.size());
  kernels::softmax(of_languages);
  std::vector<std::pair<std::string, double>> probabilities;
  for (std::size_t i = 0; i < languages.size(); ++i) {
    probabilities.emplace_back(languages[i].code, static_cast<double>(of_languages[i]));
  }
  std::ranges::stable_sort(probabilities, std::greater{}, &std::pair<std::string, double>::second);
  return probabilities;
}

}  // namespace wnpu::decoder
