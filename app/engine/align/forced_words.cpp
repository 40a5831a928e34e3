#include "app/engine/align/forced_words.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include "app/engine/windows/clips.h"
#include "models/base/stage_timer.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

using decoder::WordTiming;

// Mean probability of words that are forced where they are not said: below.
constexpr double kLeastSpoken = 0.2;
// Characters a second of sound that nobody says.
constexpr double kTooFast = 25;
constexpr std::size_t kFreeCharacters = 3;
// Words that stand for what was heard in their place: so few, or so similar.
constexpr std::size_t kFewMisheard = 3;
constexpr double kMisheardLike = 0.4;
constexpr double kLeastShown = 1e-6;  // 0: not spoken
constexpr std::size_t kNone = static_cast<std::size_t>(-1);

}  // namespace

ForcedWords::ForcedWords(Recognizer& recognizer, audio::MelSource& mel,
                         const decoder::DecodeOptions& decode, const decoder::Punctuation& marks,
                         std::span<const GivenWord> given, std::span<const HeardWord> heard,
                         std::vector<Part> parts, KeptWindows& kept, Timing& timing)
    : recognizer_(recognizer),
      mel_(mel),
      decode_(decode),
      marks_(marks),
      given_(given),
      heard_(heard),
      parts_(std::move(parts)),
      kept_(kept),
      timing_(timing),
      most_tokens_(decoder::longest_alignment(
          recognizer.dims(), decoder::sot_sequence(recognizer.vocabulary(), decode).size())),
      times_(given.size()) {
  for (const auto& [seek, window] : kept.windows()) {
    const double start = to_seconds(seek);
    if (!heard_windows_.empty())
      heard_windows_.back().end = std::min(heard_windows_.back().end, start);
    const double end = to_seconds(seek + window.size);
    heard_windows_.push_back({start, end, end});
  }
}

std::size_t ForcedWords::n_done() const {
  return is_done() ? given_.size() : parts_[next_].given.first;
}

void ForcedWords::turn() {
  const PartWindow window = window_at(next_, parts_, given_, most_tokens_, heard_windows_);
  encode(window);
  std::vector<Piece> pieces = force(window);
  if (drop_unspoken(window, pieces)) pieces = force(window);
  place(window, pieces);
  for (std::size_t i = window.kept_first; i < window.kept_end; ++i)
    close(parts_[i].given.first, parts_[i].given.end);
  next_ = window.kept_end;
}

void ForcedWords::encode(const PartWindow& window) {
  const std::size_t first = to_frame(window.start);
  const std::size_t end = std::min(mel_.content_frames(), to_frame(window.sound_end));
  n_frames_ = std::min(audio::kWindowFrames, end - std::min(end, first));
  models::timed(timing_.mel, [&] { mel_.window(first, window_); });
  sound_.hear(window_, n_frames_);
  if (!kept_.take(first, states_)) {
    const EncodeJob job{&window_, &states_};
    models::timed(timing_.encode, [&] { recognizer_.encoder().encode({&job, 1}); });
  }
  const models::StageTimer timer(timing_.decode);
  recognizer_.keep(0, states_);
}

std::vector<ForcedWords::Piece> ForcedWords::force(const PartWindow& window) {
  std::vector<Piece> pieces;
  std::vector<std::vector<models::TokenId>> texts;
  std::size_t n_tokens = 0;
  const auto add = [&](WordTiming piece, std::size_t word) {
    n_tokens += piece.tokens.size();
    if (n_tokens > most_tokens_) return;
    texts.push_back(piece.tokens);
    pieces.push_back({std::move(piece), word});
  };
  for (std::size_t i = window.first; i < window.end; ++i) {
    const Part& part = parts_[i];
    for (std::size_t word = part.given.first; part.is_said && word < part.given.end; ++word)
      for (const WordTiming& piece : given_[word].pieces) add(piece, word);
    for (std::size_t word = part.heard.first; part.is_extra && word < part.heard.end; ++word)
      add({heard_[word].text, recognizer_.vocabulary().encode(heard_[word].text)}, kNone);
  }
  const models::StageTimer timer(timing_.decode);
  const DecodeJob job{0, decode_};
  std::vector<bool> is_timed(pieces.size());
  for (const WordTiming& timed : recognizer_.align(job, texts, n_frames_)) {
    WordTiming& piece = pieces[timed.segment].timing;
    if (!is_timed[timed.segment]) {
      piece.start = timed.start;
      piece.probability = timed.probability;
    }
    is_timed[timed.segment] = true;
    piece.end = timed.end;
  }
  return pieces;
}

// Marks what is improbable as not spoken; whether there is any.
bool ForcedWords::drop_unspoken(const PartWindow& window, std::span<const Piece> pieces) {
  std::map<std::size_t, double> probabilities;  // by word, of its first piece with letters
  for (const Piece& piece : pieces)
    if (piece.word != kNone && !match_key(piece.timing.word).empty())
      probabilities.try_emplace(piece.word, piece.timing.probability);
  bool is_any = false;
  for (std::size_t i = window.kept_first; i < window.end; ++i) {
    Part& part = parts_[i];
    double sum = 0;
    double n = 0;
    for (std::size_t word = part.given.first; word < part.given.end; ++word) {
      const auto found = probabilities.find(word);
      if (found == probabilities.end()) continue;
      sum += found->second;
      ++n;
    }
    if (part.is_anchor || !part.is_said || n == 0) continue;
    const bool is_probable = sum >= kLeastSpoken * n || is_misheard(part);
    if (is_probable && !is_too_fast(part, pieces)) continue;
    part.is_said = false;
    part.is_extra = part.heard.size() > 0;
    is_any = true;
  }
  return is_any;
}

// Whether the given words are what was heard, which the model took for others.
bool ForcedWords::is_misheard(const Part& part) const {
  std::string given;
  std::string heard;
  for (std::size_t i = part.given.first; i < part.given.end; ++i) given += given_[i].key;
  for (std::size_t i = part.heard.first; i < part.heard.end; ++i) heard += heard_[i].key;
  if (heard.size() > 3 * given.size() || given.size() > 3 * heard.size()) return false;
  return part.given.size() <= kFewMisheard || similarity(given, heard) >= kMisheardLike;
}

bool ForcedWords::is_too_fast(const Part& part, std::span<const Piece> pieces) const {
  std::size_t n_characters = 0;
  std::size_t n_frames = 0;
  for (const Piece& piece : pieces) {
    if (piece.word == kNone || piece.word < part.given.first || piece.word >= part.given.end)
      continue;
    n_characters += models::count_characters(match_key(piece.timing.word));
    n_frames += sound_.count(to_frame(piece.timing.start), to_frame(piece.timing.end));
  }
  if (n_characters <= kFreeCharacters) return false;
  return static_cast<double>(n_characters - kFreeCharacters) * kFramesPerSecond >
         kTooFast * static_cast<double>(n_frames);
}

void ForcedWords::place(const PartWindow& window, std::span<const Piece> pieces) {
  std::vector<WordTiming> kept;
  std::vector<std::size_t> numbers;  // of given words, of each that is kept
  std::vector<decoder::Segment> segments;
  std::size_t part = window.kept_first;
  for (const Piece& piece : pieces) {
    if (piece.word == kNone || piece.word < parts_[window.kept_first].given.first) continue;
    while (part < window.kept_end && piece.word >= parts_[part].given.end) ++part;
    if (part == window.kept_end) break;
    const bool is_first =
        kept.empty() || given_[numbers.back()].segment != given_[piece.word].segment;
    if (is_first) segments.emplace_back().start = parts_[part].start;
    segments.back().end = parts_[part].end;
    numbers.push_back(piece.word);
    kept.push_back(piece.timing);
    kept.back().segment = segments.size() - 1;
  }
  decoder::place_words(kept, marks_, {to_seconds(to_frame(window.start)), last_speech_}, segments);
  put_times(window, kept, numbers, segments);
}

// Each word's time is that of the pieces of which it was put together, less the silence beside it.
void ForcedWords::put_times(const PartWindow& window, std::span<const WordTiming> pieces,
                            std::span<const std::size_t> numbers,
                            std::span<const decoder::Segment> segments) {
  const std::size_t origin = to_frame(window.start);
  const double lag = attention_lag(recognizer_.dims());
  const auto frame_at = [&](double seconds) {
    const std::size_t frame = to_frame(std::max(0.0, seconds - lag));
    return frame - std::min(frame, origin);
  };
  std::vector<decoder::Word> words;
  std::vector<std::string> texts;
  for (const decoder::Segment& segment : segments) {
    words.insert(words.end(), segment.words.begin(), segment.words.end());
    for (const decoder::Word& word : segment.words) texts.push_back(word.text);
  }
  const std::vector<std::size_t> n_pieces = pieces_of_words(pieces, texts);
  auto number = numbers.begin();
  for (std::size_t i = 0; i < words.size(); ++i) {
    const decoder::Word& word = words[i];
    const auto [first, end] = sound_.of(frame_at(word.start), frame_at(word.end));
    const double start =
        std::min(std::max(to_seconds(origin + first), last_speech_), mel_.duration_s());
    last_speech_ = std::min(std::max(start, to_seconds(origin + end)), mel_.duration_s());
    const double probability = std::max(word.probability, kLeastShown);
    for (std::size_t n = n_pieces[i]; n > 0; --n, ++number)
      times_[*number] = {start, last_speech_, probability, true};
  }
}

// Words that were not spoken have no length, at the end of the word before.
void ForcedWords::close(std::size_t first, std::size_t end) {
  for (std::size_t word = first; word < end; ++word) {
    WordTime& time = times_[word];
    if (time.is_spoken) continue;
    time.probability = 0;
    time.start = time.end = word == 0 ? 0 : times_[word - 1].end;
  }
}

}  // namespace wnpu::app
