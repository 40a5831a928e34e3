#include "app/engine/align/align_file.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>
#include <vector>

#include "app/engine/align/forced_words.h"
#include "app/engine/windows/spoken_language.h"
#include "app/engine/windows/transcription_job.h"
#include "app/engine/windows/window_loop.h"
#include "models/base/error.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

// Characters that nobody says in a second, and some for a title.
constexpr double kMostPerSecond = 60;
constexpr double kMostBeside = 400;
// Encoder states that the first pass leaves to the second, in bytes: of more than an hour of base.
constexpr std::size_t kMostKept = std::size_t{256} << 20U;
// Share of the work that is done when all is heard.
constexpr double kHeardShare = 0.7;

void check_length(std::span<const std::string> text, double duration_s) {
  std::size_t n = 0;
  for (const std::string& segment : text) n += models::count_characters(segment);
  const auto most = static_cast<std::size_t>(kMostBeside + kMostPerSecond * duration_s);
  if (n <= most) return;
  throw Error("text", ": expected at most " + std::to_string(most) + " characters for " +
                          std::to_string(static_cast<long long>(duration_s)) +
                          " s of audio, found " + std::to_string(n));
}

std::vector<HeardWord> heard_words(std::span<const Segment> segments) {
  std::vector<HeardWord> words;
  for (const Segment& segment : segments)
    for (const Word& word : segment.words)
      if (std::string key = match_key(word.text); !key.empty())
        words.push_back({word.text, std::move(key), word.start, word.end});
  return words;
}

std::vector<ExtraSpeech> extra_speech(std::span<const Part> parts,
                                      std::span<const HeardWord> heard) {
  std::vector<ExtraSpeech> all;
  bool goes_on = false;
  for (const Part& part : parts) {
    if (part.is_said && part.given.size() > 0) goes_on = false;
    for (std::size_t i = part.heard.first; part.is_extra && i < part.heard.end; ++i) {
      if (!goes_on) all.push_back({heard[i].start, heard[i].end, ""});
      all.back().text += heard[i].text;
      all.back().end = std::max(all.back().end, heard[i].end);
      goes_on = true;
    }
  }
  return all;
}

class SegmentMaker {
 public:
  SegmentMaker(std::span<const std::string> text, std::span<const GivenWord> given,
               const std::vector<WordTime>& times)
      : text_(text), given_(given), times_(times) {}

  // Segments whose words are among the first n_words; `is_whole`: all of the text.
  void add(std::size_t n_words, bool is_whole, Transcript& transcript, const Callbacks& callbacks) {
    while (transcript.segments.size() < text_.size()) {
      const std::size_t number = transcript.segments.size();
      std::size_t end = next_;
      while (end < given_.size() && given_[end].segment == number) ++end;
      if (end > n_words || (end == n_words && !is_whole)) return;
      transcript.segments.push_back(make(number, end));
      if (callbacks.on_segment) callbacks.on_segment(transcript.segments.back());
    }
  }

 private:
  Segment make(std::size_t number, std::size_t end) {
    Segment segment;
    segment.id = number;
    segment.start = segment.end = next_ == 0 ? 0 : times_[next_ - 1].end;
    double sum = 0;
    double n_spoken = 0;
    for (; next_ < end; ++next_) {
      const WordTime& time = times_[next_];
      segment.words.push_back({given_[next_].text(), time.start, time.end, time.probability});
      segment.text += segment.words.back().text;
      for (const auto& piece : given_[next_].pieces)
        segment.tokens.insert(segment.tokens.end(), piece.tokens.begin(), piece.tokens.end());
      if (!time.is_spoken) continue;
      if (n_spoken == 0) segment.start = time.start;
      segment.end = time.end;
      sum += std::log(std::max(time.probability, 1e-10));
      ++n_spoken;
    }
    segment.avg_logprob = n_spoken == 0 ? 0 : sum / n_spoken;
    segment.seek = to_frame(segment.start);
    return segment;
  }

  std::span<const std::string> text_;
  std::span<const GivenWord> given_;
  const std::vector<WordTime>& times_;
  std::size_t next_ = 0;  // given word
};

// Tells what the text and the recording have beside each other.
void warn_of_differences(Transcript& transcript) {
  std::size_t n = 0;
  std::size_t n_unspoken = 0;
  for (const Segment& segment : transcript.segments) {
    n += segment.words.size();
    n_unspoken +=
        static_cast<std::size_t>(std::ranges::count(segment.words, 0.0, &Word::probability));
  }
  double seconds = 0;
  for (const ExtraSpeech& each : transcript.extra_speech) seconds += each.end - each.start;
  if (n_unspoken > 0) {
    transcript.warnings.push_back(std::to_string(n_unspoken) + " of " + std::to_string(n) +
                                  " words of the text were not heard: they have no length");
  }
  if (transcript.extra_speech.empty()) return;
  const ExtraSpeech& first = transcript.extra_speech.front();
  transcript.warnings.push_back(
      two_digits(seconds) + " s of speech are not in the text, first at " +
      two_digits(first.start) + " s:" + std::string(models::first_characters(first.text, 60)));
}

class FileAlignment {
 public:
  FileAlignment(Recognizer& recognizer, const TranscribeOptions& options,
                std::span<const std::string> text, TranscriptionJob& file, KeptWindows& kept,
                const Callbacks& callbacks)
      : recognizer_(recognizer), text_(text), file_(file), kept_(kept), callbacks_(callbacks) {
    const Marks marks{options.prepend_punctuations, options.append_punctuations};
    const Transcript& first = file.transcript();
    heard_ = heard_words(first.segments);
    if (heard_.empty())
      throw Error(ErrorCode::audio, "expected speech, found none that could be aligned");
    given_ = given_words(text, recognizer.vocabulary(), first.language, marks);
    decode_ = decoder::decode_options_of(options);
    decode_.language = first.language;
    marks_ = {options.prepend_punctuations, options.append_punctuations};
  }

  // Fills `result`, as far as it comes before models::Stopped.
  void run(Transcript& result) {
    auto parts =
        aligned_parts(given_, heard_, models::is_unspaced(decode_.language), file_.duration_s());
    ForcedWords forced(recognizer_, file_.mel(), decode_, marks_, given_, heard_, std::move(parts),
                       kept_, file_.transcript().timing);
    SegmentMaker segments(text_, given_, forced.times());
    while (!forced.is_done()) {
      forced.turn();
      segments.add(forced.n_done(), forced.is_done(), result, callbacks_);
      result.extra_speech = extra_speech(forced.parts(), heard_);
      if (!callbacks_.on_progress) continue;
      const double total = file_.duration_s();
      callbacks_.on_progress(kHeardShare * total + (1 - kHeardShare) * forced.done_s(), total);
    }
    segments.add(given_.size(), true, result, callbacks_);
  }

 private:
  Recognizer& recognizer_;
  std::span<const std::string> text_;
  TranscriptionJob& file_;
  KeptWindows& kept_;
  const Callbacks& callbacks_;
  std::vector<HeardWord> heard_;
  std::vector<GivenWord> given_;
  decoder::DecodeOptions decode_;
  decoder::Punctuation marks_;
};

// The callbacks of the first pass.
Callbacks of_hearing(const Callbacks& callbacks) {
  Callbacks quiet = callbacks;
  quiet.on_segment = {};
  if (callbacks.on_progress) {
    quiet.on_progress = [&callbacks](double done_s, double total_s) {
      callbacks.on_progress(kHeardShare * done_s, total_s);
    };
  }
  return quiet;
}

}  // namespace

void check_alignment(std::span<const std::string> text, const TranscribeOptions& options) {
  if (options.task != Task::transcribe)
    throw Error("task",
                ": expected transcribe, found another: a text is aligned with its own words");
  if (options.channels != Channels::mix || options.speakers.enabled)
    throw Error("speakers", ": expected none, found some: a text is aligned with all channels");
  if (std::ranges::all_of(
          text, [](const auto& each) { return match_key(models::repair_utf8(each)).empty(); }))
    throw Error("text", ": expected words, found none");
  for (const std::string& each : text)
    if (models::repair_utf8(each) != each)
      throw Error("text", ": expected UTF-8, found bytes that are none");
}

Transcript align_file(Recognizer& recognizer, const TranscribeOptions& options,
                      const GivenRecording& given, const Callbacks& callbacks,
                      const Listeners& listeners) {
  const std::span<const std::string> text = given.text;
  recognizer.set_should_stop(callbacks.should_stop);
  const Callbacks quiet = of_hearing(callbacks);
  Listeners of_times = listeners;
  of_times.wants_probabilities = false;
  TranscriptionJob file(recognizer, options, given.input, quiet, of_times);
  KeptWindows kept(kMostKept);
  Transcript result;
  bool is_whole = false;
  try {
    check_length(text, file.duration_s());
    file.begin();
    decode_windows(recognizer, options, file, callbacks.should_stop, &kept);
    FileAlignment(recognizer, options, text, file, kept, callbacks).run(result);
    is_whole = true;
  } catch (const models::Stopped&) {
  }
  Transcript transcript = file.finish(is_whole);
  transcript.segments = std::move(result.segments);
  transcript.extra_speech = std::move(result.extra_speech);
  transcript.is_aligned = true;
  warn_of_differences(transcript);
  return transcript;
}

}  // namespace wnpu::app
