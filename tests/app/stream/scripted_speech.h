// Speech that is written down: words with their times, samples that tell when they are, and a
// recogniser that hears the words of the samples it is given. As a real one it is not sure of what
// it hears at the end: there it takes words for others, and half words for whole ones.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/stream/agreement.h"
#include "app/stream/live_transcript.h"

namespace wnpu::tests {

struct Script {
  std::vector<Word> words;
  double length_s = 0;
  // Words that end so near to the end of the audio are not recognised for sure.
  double unsure_s = 0.3;
  // At a last try nothing is heard behind a prefix.
  bool ends_with_prefix = false;

  std::string text() const {
    std::string all;
    for (const Word& word : words) all += word.text;
    return all;
  }
};

struct ScriptRules {
  double pause_share = 0.1;     // of words, that a pause follows
  double sentence_share = 0.2;  // of words, that end one
};

inline Script random_script(std::mt19937& rng, double length_s, const ScriptRules& rules = {}) {
  const auto between = [&rng](double low, double high) {
    return std::uniform_real_distribution<>(low, high)(rng);
  };
  Script script;
  double at = between(0.2, 2);
  while (true) {
    const double end = at + between(0.1, 0.6);
    if (end > length_s) break;
    std::string text = " w" + std::to_string(script.words.size());
    if (between(0, 1) < rules.sentence_share) text += '.';
    script.words.push_back({text, at, end, 1});
    at = end + (between(0, 1) < rules.pause_share ? between(0.5, 4) : between(0, 0.1));
  }
  script.length_s = length_s;
  return script;
}

// Each tells which 10 ms of the stream it is in.
inline std::vector<std::int16_t> samples_of(const Script& script) {
  std::vector<std::int16_t> samples(static_cast<std::size_t>(script.length_s * 16000));
  for (std::size_t i = 0; i < samples.size(); ++i)
    samples[i] = static_cast<std::int16_t>(static_cast<std::uint16_t>(i / 160));
  return samples;
}

inline double time_of(std::span<const std::int16_t> samples) {
  const auto next = std::ranges::find_if(samples, [&](auto each) { return each != samples[0]; });
  const auto n = static_cast<double>(std::min<std::ptrdiff_t>(next - samples.begin(), 160));
  return static_cast<double>(static_cast<std::uint16_t>(samples[0])) / 100 + (160 - n) / 16000;
}

class ScriptedListener {
 public:
  explicit ScriptedListener(const Script& script) : script_(script) {}

  double speech(std::span<const std::int16_t> block) const {
    const double start = time_of(block);
    const double end = start + static_cast<double>(block.size()) / 16000;
    const auto is_in = [&](const Word& word) { return word.start < end && word.end + 0.1 > start; };
    return std::ranges::any_of(script_.words, is_in) ? 0.9 : 0.05;
  }

  std::optional<app::Hypothesis> hear(const app::HeardAudio& heard) {
    const double start = time_of(heard.samples);
    const double end = start + static_cast<double>(heard.samples.size()) / 16000;
    if (std::abs(heard.heard_s - end) > 0.01) had_other_end = true;
    most_samples = std::max(most_samples, heard.samples.size());
    most_text = std::max(most_text, heard.before.size() + heard.begun.size());
    ++n_calls;
    if (script_.ends_with_prefix && heard.is_last_try && !heard.begun.empty()) {
      ++n_ended_with_prefix;
      return app::Hypothesis{{}, "en"};
    }
    std::string rest = heard.begun;
    std::vector<Word> words;
    for (Word word : script_.words) {
      // Words cut in the middle are not heard; a tenth of a millisecond allows for rounding.
      if ((word.start + word.end) / 2 < start - 1e-4 || word.start > end - 0.02) continue;
      const std::string_view bare = app::without_closing_marks(word.text);
      if (rest.starts_with(bare)) {
        const bool is_last = rest.size() == bare.size();
        rest.erase(0, is_last ? bare.size() : word.text.size());
        word.text.erase(0, bare.size());
        if (!is_last || word.text.empty()) continue;
      }
      if (!rest.empty()) had_other_beginning = true;
      const bool is_unsure = word.end > end - script_.unsure_s && !heard.is_last_try;
      if (word.end > end) {
        word.text = " c" + std::to_string(static_cast<int>(end * 100));
      } else if (is_unsure && std::fmod(end * 1000 + word.end, 3) < 1) {
        word.text = " x" + std::to_string(static_cast<int>(end * 100));
      }
      word.start = std::max(0.0, word.start - start);
      word.end = std::min(word.end, end) - start;
      words.push_back(word);
    }
    return app::Hypothesis{std::move(words), "en"};
  }

  std::size_t n_calls = 0;
  std::size_t n_ended_with_prefix = 0;
  std::size_t most_samples = 0;
  std::size_t most_text = 0;
  bool had_other_beginning = false;  // `begun` was not what the samples begin with
  bool had_other_end = false;        // `heard_s` was not where the samples end

 private:
  const Script& script_;
};

}  // namespace wnpu::tests
