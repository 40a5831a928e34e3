#include "app/stream/stream_recognizer.h"

#include <algorithm>
#include <atomic>
#include <string>
#include <utility>

#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

// The language of the first words is taken from this probability on, or after so much audio.
constexpr double kSureOfFirst = 0.5;
constexpr std::size_t kLongEnough = std::size_t{3} * 16000;
// From this probability on, audio behind a cut has another language than the text before it.
constexpr double kSureOfOther = 0.8;

// A text that goes on where nothing more is said has no audio: its words have no time. Nobody says
// half of some words so fast.
bool is_without_audio(std::span<const Word> words) {
  constexpr std::size_t kFewest = 4;
  constexpr double kShortest = 0.05;
  const auto n_short = std::ranges::count_if(
      words, [](const Word& word) { return word.end - word.start < kShortest; });
  return words.size() >= kFewest && 2 * static_cast<std::size_t>(n_short) >= words.size();
}

}  // namespace

StreamRecognizer::StreamRecognizer(Session& session, const TranscribeOptions& options,
                                   std::function<bool()> should_hurry)
    : session_(session), options_(options), should_hurry_(std::move(should_hurry)) {}

// All words of the samples from one decoding: a rest behind the last timestamp would cost a window
// of its own, so that there are no timestamps but those of words.
TranscribeOptions StreamRecognizer::options_of(const HeardAudio& heard,
                                               const std::string& language) const {
  TranscribeOptions options = options_;
  options.word_timestamps = true;
  options.without_timestamps = true;
  options.vad.enabled = false;  // it was asked before
  options.language = language;
  options.prefix = heard.begun;
  const bool is_other = !language.empty() && language != heard.language;
  if (options.condition_on_previous_text && !is_other && !heard.before.empty())
    options.initial_prompt = heard.before;
  if (!heard.is_last_try) options.temperature_increment_on_fallback.reset();
  return options;
}

// Whether the transcript would have been decoded again at a higher temperature.
bool StreamRecognizer::is_doubtful(const Transcript& transcript) const {
  return std::ranges::any_of(transcript.segments, [this](const Segment& segment) {
    return (options_.compression_ratio_threshold &&
            segment.compression_ratio > *options_.compression_ratio_threshold) ||
           (options_.logprob_threshold && segment.avg_logprob < *options_.logprob_threshold);
  });
}

std::optional<Hypothesis> StreamRecognizer::hear(const HeardAudio& heard) {
  if (std::exchange(heard_s_, heard.heard_s) != heard.heard_s) work_s_ = 0;
  const models::StageTimer timer(work_s_);
  return hear_in(heard.begun.empty() ? options_.language : heard.language, heard);
}

// An empty language is detected. Where it is not that of the text before, the audio is heard again:
// in the other language without that text, or in its own.
std::optional<Hypothesis> StreamRecognizer::hear_in(const std::string& language,
                                                    const HeardAudio& heard) {
  bool is_begun = false;
  std::atomic<bool> is_done = false;  // the first window, behind which there is nothing to be heard
  std::atomic<bool> is_refused = false;  // the language
  std::string better;
  Callbacks callbacks;
  callbacks.on_beginning = [&](const Beginning& beginning) {
    if (beginning.language_probs.empty()) return;
    const double probability = beginning.language_probs.front().second;
    if (heard.language.empty()) {
      is_refused =
          probability < kSureOfFirst && heard.samples.size() < kLongEnough && !heard.is_last_try;
    } else if (beginning.language != heard.language) {
      better = probability < kSureOfOther ? heard.language : beginning.language;
      is_refused = true;
    }
  };
  callbacks.on_progress = [&](double, double) { is_done = std::exchange(is_begun, true); };
  callbacks.should_stop = [&] {
    return is_done || is_refused || (!heard.is_last_try && should_hurry_ && should_hurry_());
  };
  const Audio audio{.path = {},
                    .bytes = std::as_bytes(heard.samples),
                    .raw_format = "s16le:16000:1",
                    .track = std::nullopt};
  const Transcript transcript = session_.transcribe(audio, options_of(heard, language), callbacks);
  if (!better.empty()) return hear_in(better, heard);
  if (!is_done || (!heard.is_last_try && is_doubtful(transcript))) return std::nullopt;
  Hypothesis hypothesis{{}, transcript.language};
  for (const Segment& segment : transcript.segments)
    hypothesis.words.insert(hypothesis.words.end(), segment.words.begin(), segment.words.end());
  if (is_without_audio(hypothesis.words)) return std::nullopt;
  return hypothesis;
}

}  // namespace wnpu::app
