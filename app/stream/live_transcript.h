// Live speech: samples in, events out. By the audio's own clock alone: what comes out depends on
// the samples and on when the caller says that more are waiting, not on how they were cut into
// calls.
//
// In speech the recogniser hears, each `chunk_s`, all audio since the last cut, and continues the
// words that are final already. What two such hypotheses begin with alike is final
// (agreement.h). At a pause all is final. Audio is forgotten at pauses, at ends of sentences, and
// at the latest where a window of Whisper is full.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/stream_event.h"

namespace wnpu::app {

struct LiveOptions {
  double chunk_s = 1;      // audio between two hypotheses
  double lookahead_s = 1;  // of audio behind a word, before which it is not final
  double pause_s = 1;      // of silence, after which all that was said is final
  double buffer_s = 25;    // of audio, from which on it is cut at an end of a sentence
  double pad_s = 0.4;      // taken before speech
  double threshold = 0.5;  // speech from this probability on
  // Silence below this; none: threshold - 0.15, at least 0.01. What is speech is no silence.
  std::optional<double> neg_threshold = {};
};

// Request to the recogniser.
struct HeardAudio {
  std::span<const std::int16_t> samples;  // 16 kHz, less than 30 s
  std::string before;                     // end of the text that is final, before the samples
  std::string begun;                      // the samples' text begins with this, which is final
  std::string language;                   // of these texts, a code; none: there are none
  bool is_last_try = false;               // temperatures may rise, and doubtful text counts
  double heard_s = 0;                     // of the stream so far, to the end of the samples
};

// Recogniser's answer.
struct Hypothesis {
  std::vector<Word> words;  // behind `begun`, in seconds from the first sample
  std::string language;     // of them, a code
};

class LiveTranscript {
 public:
  // Detector: probability of speech in a block of 512 samples. Called once for each block, in
  // order.
  using SpeechFn = std::function<double(std::span<const std::int16_t>)>;
  // Recogniser. Empty: it was not able to tell.
  using RecogniseFn = std::function<std::optional<Hypothesis>(const HeardAudio&)>;
  using EventFn = std::function<void(const StreamEvent&)>;

  static constexpr std::size_t kBlock = 512;
  // The recogniser never hears more: 28 s.
  static constexpr std::size_t kMostSamples = std::size_t{28} * 16000;

  LiveTranscript(const LiveOptions& options, SpeechFn speech, RecogniseFn recognise,
                 EventFn on_event);

  // Takes the next samples. Where more are waiting, hypotheses of these would be late: only what a
  // pause or a full window asks for is done.
  void push(std::span<const std::int16_t> samples, bool more_are_waiting = false);
  // No more samples come for now: words that were whole then become final.
  void stall();
  // From now on what comes is heard as much at once as the recogniser can, for an end that is near.
  void hurry() { is_hurried_ = true; }
  // No more samples come: all becomes final.
  void finish();

  // Seconds of audio heard so far.
  double heard_s() const;

 private:
  enum class Run { hypothesis, stall, pause };

  void take_block(bool more_are_waiting);
  void take_speech(double probability, bool more_are_waiting);
  void run(Run kind);
  // The words are placed.
  std::optional<Hypothesis> hear(bool is_last_try);
  void end_line();
  Hypothesis heard_behind_settled();
  std::vector<Word> placed(std::vector<Word> words) const;
  bool may_begin_with_marks() const;
  std::size_t n_before(std::span<const Word> words, double audio_s) const;
  void settle(Hypothesis hypothesis, bool ends_line);
  void tell(StreamEvent::Type type, Hypothesis hypothesis, bool ends_line);
  void trim();
  void forget_words(std::size_t n_words);
  void forget_all();
  void drop_samples(std::size_t n);
  double seconds_at(std::uint64_t sample) const;

  LiveOptions options_;
  SpeechFn speech_;
  RecogniseFn recognise_;
  EventFn on_event_;

  std::vector<std::int16_t> block_;   // not whole yet
  std::vector<std::int16_t> buffer_;  // since the last cut; without speech the last of silence
  std::uint64_t heard_ = 0;           // samples behind the buffer's last
  std::uint64_t last_run_ = 0;        // heard_ then
  std::uint64_t quiet_ = 0;           // samples of silence at the buffer's end
  std::uint64_t speech_end_ = 0;      // samples behind the last that was speech
  bool is_speech_ = false;            // the buffer has some
  bool is_open_ = false;              // and all of it is not final yet

  bool is_hurried_ = false;

  std::vector<Word> settled_;  // final words of the buffer
  Hypothesis tail_;            // the last one, behind them
  std::string before_;         // the end of the final text before the buffer
  std::string language_;       // of these two
  double last_end_s_ = 0;      // of the last final word
  bool is_line_begun_ = false;
};

}  // namespace wnpu::app
