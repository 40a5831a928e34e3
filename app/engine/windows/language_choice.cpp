#include "app/engine/windows/language_choice.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/windows/spoken_language.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

constexpr double kSureProbability = 0.5;

// Language of most of these windows, which are not none, of two with as many the first; as the
// window heard it that is surest of it.
LanguageProbs winner(std::span<const LanguageProbs> heard) {
  const auto code = [](const LanguageProbs& probs) { return probs.front().first; };
  std::ptrdiff_t most = 0;
  const LanguageProbs* best = nullptr;
  for (const LanguageProbs& each : heard) {
    const auto n_windows = std::ranges::count(heard, code(each), code);
    const bool is_surer = n_windows == most && code(each) == code(*best) &&
                          each.front().second > best->front().second;
    if (n_windows > most || is_surer) best = &each;
    most = std::max(most, n_windows);
  }
  return *best;
}

class LanguageSearch {
 public:
  LanguageSearch(Recognizer& recognizer, const TranscribeOptions& options,
                 std::span<const Clip> clips, audio::MelSource& mel, Timing& timing)
      : recognizer_(recognizer), options_(options), clips_(clips), mel_(mel), timing_(timing) {}

  LanguageProbs run() {
    const std::size_t first = clips_.empty() ? 0 : clips_.front().start;
    LanguageProbs of_first;
    std::vector<LanguageProbs> votes;
    for (std::optional<std::size_t> seek = first;
         seek && votes.size() < options_.language_detection_segments; seek = next(*seek)) {
      decoder::HeardLanguages heard = hear(*seek);
      if (*seek == first) of_first = heard.probabilities;
      if (heard.no_speech_prob > options_.no_speech_threshold.value_or(1)) continue;
      if (heard.probabilities.front().second > options_.language_detection_threshold)
        return std::move(heard.probabilities);
      votes.push_back(std::move(heard.probabilities));
    }
    has_speech_ = !votes.empty();
    return has_speech_ ? winner(votes) : of_first;
  }
  bool has_speech() const { return has_speech_; }
  std::optional<EncodedWindow>& first_window() { return first_window_; }

 private:
  decoder::HeardLanguages hear(std::size_t seek) {
    mel_.window(seek, window_, audio::MelSource::Padding::silence);
    models::EncoderStates states;
    const EncodeJob job{&window_, &states};
    models::timed(timing_.encode, [&] { recognizer_.encoder().encode({&job, 1}); });
    const models::StageTimer timer(timing_.decode);
    decoder::HeardLanguages heard = recognizer_.hear_languages(states, heard_);
    // Windows of less than 30 s are decoded with other padding.
    if (!clips_.empty() && seek == clips_.front().start &&
        seek + audio::kWindowFrames <= clips_.front().end)
      first_window_ = {seek, std::move(states)};
    return heard;
  }

  // Behind the window at `seek`, in a clip; none: the clips are over.
  std::optional<std::size_t> next(std::size_t seek) const {
    seek += audio::kWindowFrames;
    const auto clip =
        std::ranges::find_if(clips_, [seek](const Clip& each) { return each.end > seek; });
    if (clip == clips_.end()) return {};
    return std::max(seek, clip->start);
  }

  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  std::span<const Clip> clips_;
  audio::MelSource& mel_;
  Timing& timing_;
  models::LogMel window_;
  decoder::CrossKv heard_;
  std::optional<EncodedWindow> first_window_;
  bool has_speech_ = true;
};

// Warns of a language that is improbable, or was heard in windows without speech.
void warn_of_guess(bool has_speech, Transcript& transcript) {
  if (has_speech && transcript.language_probs.front().second >= kSureProbability) return;
  transcript.warnings.push_back(
      (has_speech ? "the language is a guess: "
                  : "the language is a guess, from sound that may not be speech: ") +
      described(transcript.language_probs) +
      "; `language` names it, `vad.enabled` looks for speech first, `language_detection_segments` "
      "asks more windows");
}

// Threshold of English for tiny.en: 60 English recordings have no less than -0.74, and 26 in other
// languages, of 5 s or more, no more than -0.82 (app/engine/README.md).
constexpr double kLeastMeanLogprob = -0.8;

// Mean natural log-probability of the text's tokens.
double mean_logprob(const Transcript& transcript) {
  double sum = 0;
  double n_tokens = 0;
  for (const Segment& segment : transcript.segments) {
    const auto n = static_cast<double>(segment.tokens.size());
    sum += n * segment.avg_logprob;
    n_tokens += n;
  }
  return n_tokens == 0 ? 0 : sum / n_tokens;
}

}  // namespace

std::optional<EncodedWindow> settle_language(Recognizer& recognizer,
                                             const TranscribeOptions& options,
                                             std::span<const Clip> clips, audio::MelSource& mel,
                                             Transcript& transcript) {
  transcript.language = options.language;
  if (!transcript.language.empty()) return {};
  transcript.language = "en";
  if (!recognizer.vocabulary().is_multilingual()) return {};
  LanguageSearch search(recognizer, options, clips, mel, transcript.timing);
  transcript.language_probs = search.run();
  transcript.language = transcript.language_probs.front().first;
  if (mel.content_frames() > 0) warn_of_guess(search.has_speech(), transcript);
  return std::move(search.first_window());
}

void warn_of_misfit(Transcript& transcript) {
  const double mean = mean_logprob(transcript);
  if (mean >= kLeastMeanLogprob) return;
  transcript.warnings.push_back(
      "the text is improbable (mean log-probability " + two_digits(mean) +
      "): the recording may not be in English, which is all that this model knows; a multilingual "
      "one such as base knows 99 languages");
}

}  // namespace wnpu::app
