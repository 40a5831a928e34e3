#include "app/stream/live_transcript.h"

#include <algorithm>
#include <utility>

#include "app/stream/agreement.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr double kRate = 16000;
// A silence this long ends what is said: the words after it need no audio of before.
constexpr double kForgetAfterS = 2.0;
// A word that ends this near to the end of the audio may be half a word.
constexpr double kWholeS = 0.3;
// So much speech has words: a recogniser that has none for it has ended with its prefix.
constexpr double kWordlessS = 1.0;
// Share of the buffer that stays before the words at its end: with less the recogniser mishears
// them.
constexpr double kKeptShare = 0.4;
// Words that stay before a cut, for the recogniser to go on from.
constexpr std::size_t kKeptWords = 3;
// Bytes of final text in the recogniser's prompt and prefix: about 220 tokens of English, and 300
// of scripts with three bytes a character, so that a third of the decoder's 448 is left.
constexpr std::size_t kTextBytes = 900;
// Bytes of these that the prompt has at least, however long the prefix is.
constexpr std::size_t kLeastPromptBytes = 200;

std::uint64_t to_samples(double seconds) {
  return static_cast<std::uint64_t>(std::max(0.0, seconds) * kRate);
}

std::string joined_words(std::span<const Word> words) {
  std::string text;
  for (const Word& word : words) text += word.text;
  return text;
}

// The last bytes, from a word's beginning on; where words have no spaces, a character's.
std::string end_of_text(const std::string& text, std::size_t n_bytes = kTextBytes) {
  if (text.size() <= n_bytes) return text;
  std::size_t from = text.size() - n_bytes;
  const std::size_t space = text.find(' ', from);
  if (space != text.npos) return text.substr(space);
  while (from < text.size() && !models::begins_character(text[from])) ++from;
  return text.substr(from);
}

}  // namespace

LiveTranscript::LiveTranscript(const LiveOptions& options, SpeechFn speech, RecogniseFn recognise,
                               EventFn on_event)
    : options_(options),
      speech_(std::move(speech)),
      recognise_(std::move(recognise)),
      on_event_(std::move(on_event)) {}

double LiveTranscript::seconds_at(std::uint64_t sample) const {
  return static_cast<double>(sample) / kRate;
}

double LiveTranscript::heard_s() const { return seconds_at(heard_); }

void LiveTranscript::push(std::span<const std::int16_t> samples, bool more_are_waiting) {
  while (!samples.empty()) {
    const std::size_t n = std::min(kBlock - block_.size(), samples.size());
    block_.insert(block_.end(), samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(n));
    samples = samples.subspan(n);
    if (block_.size() == kBlock) take_block(more_are_waiting);
  }
}

void LiveTranscript::take_block(bool more_are_waiting) {
  const double probability = speech_(block_);
  buffer_.insert(buffer_.end(), block_.begin(), block_.end());
  heard_ += block_.size();
  block_.clear();
  if (!is_speech_ && probability >= options_.threshold) {
    is_speech_ = true;
    quiet_ = 0;
    last_run_ = heard_;
  }
  if (is_speech_) return take_speech(probability, more_are_waiting);
  const std::uint64_t pad = std::max<std::uint64_t>(to_samples(options_.pad_s), kBlock);
  if (buffer_.size() > pad) drop_samples(buffer_.size() - pad);
}

void LiveTranscript::take_speech(double probability, bool more_are_waiting) {
  const bool is_speech = probability >= options_.threshold;
  if (is_speech) {
    is_open_ = true;
    speech_end_ = heard_;
  }
  const double neg_threshold =
      options_.neg_threshold.value_or(std::max(options_.threshold - 0.15, 0.01));
  quiet_ = !is_speech && probability < neg_threshold ? quiet_ + kBlock : 0;
  const bool is_full = buffer_.size() + kBlock > kMostSamples;
  const bool is_pause = !is_hurried_ && quiet_ >= to_samples(options_.pause_s);
  if (is_open_ && (is_pause || is_full)) {
    run(Run::pause);
    // Short audio stays in the buffer: the recogniser hears it again, with the audio that follows.
    if (is_full || seconds_at(buffer_.size()) > options_.buffer_s) forget_all();
  } else if (!is_open_ &&
             (is_full || quiet_ >= to_samples(std::max(kForgetAfterS, options_.pause_s)))) {
    forget_all();
  } else if (is_open_ && quiet_ == 0 && !more_are_waiting && !is_hurried_ &&
             heard_ - last_run_ >= to_samples(options_.chunk_s)) {
    run(Run::hypothesis);
    trim();
  }
}

void LiveTranscript::stall() {
  if (is_open_ && last_run_ < heard_) run(Run::stall);
}

void LiveTranscript::finish() {
  buffer_.insert(buffer_.end(), block_.begin(), block_.end());
  heard_ += block_.size();
  block_.clear();
  if (is_open_) run(Run::pause);
  forget_all();
}

void LiveTranscript::run(Run kind) {
  last_run_ = heard_;
  if (kind == Run::pause) return end_line();
  auto heard = hear(false);
  if (!heard) return;
  std::vector<Word>& words = heard->words;
  const std::size_t n_final = kind == Run::stall ? n_before(words, kWholeS)
                                                 : std::min(n_agreed(tail_.words, words),
                                                            n_before(words, options_.lookahead_s));
  const auto first_unstable = words.begin() + static_cast<std::ptrdiff_t>(n_final);
  const std::string shown = joined_words(tail_.words);
  const bool has_final = n_final > 0;
  tail_ = {{first_unstable, words.end()}, heard->language};
  words.erase(first_unstable, words.end());
  settle(*std::move(heard), false);
  // Final words take the place of the tail before them; one that is taken back needs to be told.
  const bool is_news = has_final ? !tail_.words.empty() : joined_words(tail_.words) != shown;
  if (is_news) tell(StreamEvent::Type::partial, tail_, false);
}

// The marks at the end of what is final are left open: a full stop that was heard at a pause makes
// the recogniser begin a sentence where one goes on.
std::optional<Hypothesis> LiveTranscript::hear(bool is_last_try) {
  const std::string settled = joined_words(settled_);
  const std::string begun(without_closing_marks(settled));
  const std::size_t room = kTextBytes - std::min(kTextBytes, begun.size());
  auto heard = recognise_({buffer_, end_of_text(before_, std::max(room, kLeastPromptBytes)), begun,
                           language_, is_last_try, heard_s()});
  if (heard) heard->words = placed(std::move(heard->words));
  return heard;
}

void LiveTranscript::end_line() {
  is_open_ = false;
  auto heard = hear(true);
  // Earlier unstable words stand if the recogniser cannot tell now.
  Hypothesis last = heard ? *std::move(heard) : std::move(tail_);
  tail_ = {};
  const bool has_words = !settled_.empty() || !last.words.empty();
  const double end_s = last.words.empty() ? last_end_s_ : last.words.back().end;
  if (has_words && seconds_at(speech_end_) - end_s >= kWordlessS) {
    settle(std::move(last), false);
    last = heard_behind_settled();
  }
  settle(std::move(last), true);
  is_line_begun_ = false;
}

// Words in the audio behind the last final word alone, with the words before it as a prompt. Only
// those that the recogniser is sure of: it had nothing to say about that audio before. A final word
// may have ended later than its time says.
Hypothesis LiveTranscript::heard_behind_settled() {
  const std::vector<Word> before = settled_;
  forget_words(before.size());
  auto heard = hear(false);
  if (!heard) return {{}, language_};
  std::vector<Word>& words = heard->words;
  words.erase(words.begin(),
              words.begin() + static_cast<std::ptrdiff_t>(n_repeated(before, words)));
  return *std::move(heard);
}

// Whether a full stop or the like goes on with the line: neither it has one there already, nor is
// it the line before.
bool LiveTranscript::may_begin_with_marks() const {
  if (!is_line_begun_) return false;
  const std::string_view last = settled_.empty() ? std::string_view(before_) : settled_.back().text;
  return without_closing_marks(last) == last;
}

// In seconds of the stream, in order, behind the words that are final and within what was heard.
std::vector<Word> LiveTranscript::placed(std::vector<Word> words) const {
  const double start_s = seconds_at(heard_ - buffer_.size());
  std::erase_if(words, [](const Word& word) { return word.text.empty(); });
  if (!may_begin_with_marks()) drop_closing_marks_before(words);
  double earliest = last_end_s_;
  for (Word& word : words) {
    word.start = std::clamp(start_s + word.start, earliest, std::max(earliest, heard_s()));
    word.end = std::clamp(start_s + word.end, word.start, std::max(word.start, heard_s()));
    earliest = word.end;
  }
  return words;
}

// Words at the beginning behind whose ends there is so much audio.
std::size_t LiveTranscript::n_before(std::span<const Word> words, double audio_s) const {
  const double latest = heard_s() - audio_s;
  const auto is_late = [latest](const Word& word) { return word.end > latest; };
  return static_cast<std::size_t>(std::ranges::find_if(words, is_late) - words.begin());
}

// Text of another language is no prompt.
void LiveTranscript::settle(Hypothesis hypothesis, bool ends_line) {
  const std::vector<Word>& words = hypothesis.words;
  if (words.empty() && !ends_line) return;
  if (!words.empty()) {
    if (language_ != hypothesis.language) before_.clear();
    language_ = hypothesis.language;
    last_end_s_ = words.back().end;
    is_line_begun_ = true;
    settled_.insert(settled_.end(), words.begin(), words.end());
  }
  tell(StreamEvent::Type::final, std::move(hypothesis), ends_line);
}

void LiveTranscript::tell(StreamEvent::Type type, Hypothesis hypothesis, bool ends_line) {
  on_event_(
      {type, std::move(hypothesis.words), heard_s(), ends_line, std::move(hypothesis.language)});
}

// Once there is much audio it is cut behind a sentence, later behind any word.
void LiveTranscript::trim() {
  const double length_s = seconds_at(buffer_.size());
  if (length_s <= options_.buffer_s || settled_.size() <= kKeptWords) return;
  const std::span<const Word> before(settled_.data(), settled_.size() - kKeptWords);
  const std::size_t most = n_before(before, options_.buffer_s * kKeptShare);
  std::size_t n = most;
  while (n > 0 && !ends_sentence(before[n - 1].text)) --n;
  const bool is_long = to_samples(length_s + options_.buffer_s / 2) > kMostSamples;
  if (n == 0 && is_long) n = most;
  if (n > 0) forget_words(n);
}

// The first of the final words, at least one, with their audio: to halfway between the last of them
// and the next, where one stays.
void LiveTranscript::forget_words(std::size_t n_words) {
  const std::span<const Word> gone(settled_.data(), n_words);
  before_ = end_of_text(before_ + joined_words(gone));
  const double start_s = seconds_at(heard_ - buffer_.size());
  const double end_s = gone.back().end;
  const double next_s = n_words < settled_.size() ? settled_[n_words].start : end_s;
  const double cut_s = (end_s + next_s) / 2 - start_s;
  drop_samples(std::min<std::size_t>(to_samples(cut_s), buffer_.size()));
  settled_.erase(settled_.begin(), settled_.begin() + static_cast<std::ptrdiff_t>(n_words));
}

// All but half of the silence at the end, before which the next words may begin.
void LiveTranscript::forget_all() {
  before_ = end_of_text(before_ + joined_words(settled_));
  settled_.clear();
  tail_ = {};
  const std::uint64_t kept = std::min(to_samples(options_.pad_s), quiet_ / 2);
  if (buffer_.size() > kept) drop_samples(buffer_.size() - kept);
  is_speech_ = false;
  is_open_ = false;
  quiet_ = 0;
}

void LiveTranscript::drop_samples(std::size_t n) {
  buffer_.erase(buffer_.begin(), buffer_.begin() + static_cast<std::ptrdiff_t>(n));
}

}  // namespace wnpu::app
