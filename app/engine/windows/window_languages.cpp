#include "app/engine/windows/window_languages.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <utility>

#include "app/engine/windows/transcription_job.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kSliceFrames = 500;
constexpr std::size_t kFramesPerState = 2;
// Frames about a possible change among which its quietest is looked for, and those that a moment
// of quiet has.
constexpr std::size_t kPlaceFrames = 100;
constexpr std::size_t kQuietFrames = 20;
constexpr double kLeastProbability = 1e-6;

double log_of(double probability) { return std::log(std::max(probability, kLeastProbability)); }

double log_probability(const LanguageProbs& probs, const std::string& code) {
  const auto found = std::ranges::find(probs, code, &LanguageProbs::value_type::first);
  return found == probs.end() ? 0 : log_of(found->second);
}

// Likeliest languages of slices up to one, for each language that this can have.
struct Path {
  double score = 0;
  std::vector<std::string> languages;
};
using Paths = std::map<std::string, Path>;

const Path& best_of(const Paths& paths) {
  const auto by_score = [](const auto& one, const auto& other) {
    return one.second.score < other.second.score;
  };
  return std::ranges::max_element(paths, by_score)->second;
}

// The paths, each a slice longer.
Paths extended(const Paths& paths, const LanguageProbs& slice) {
  const Path& best = best_of(paths);
  Paths longer;
  for (const auto& [code, probability] : slice) {
    const auto same = paths.find(code);
    const double changed = best.score - kLanguageChange;
    const bool stays = same != paths.end() && same->second.score >= changed;
    Path path = stays ? same->second : Path{changed, best.languages};
    path.score += log_of(probability);
    path.languages.push_back(code);
    longer[code] = std::move(path);
  }
  return longer;
}

// The rows of a window's states that frames from `begin` to `end` have.
models::EncoderStates slice_of(const models::EncoderStates& states, std::size_t begin,
                               std::size_t end) {
  const models::ConstMatrixView all = states.values.view();
  const std::size_t first = std::min(begin / kFramesPerState, all.rows - 1);
  const std::size_t last = std::clamp(end / kFramesPerState, first + 1, all.rows);
  models::EncoderStates slice{models::Matrix(last - first, all.cols)};
  for (std::size_t row = first; row < last; ++row)
    std::ranges::copy(all.row(row), slice.values.row(row - first).begin());
  return slice;
}

// Probabilities of languages; no speech has none.
LanguageProbs speech_of(const HeardWindow& window, std::size_t begin, std::size_t end) {
  decoder::HeardLanguages heard = window.hear(begin, end);
  if (heard.no_speech_prob > window.no_speech_threshold.value_or(1)) return {};
  return std::move(heard.probabilities);
}

double loudness(const models::LogMel& mel, std::size_t frame) {
  double sum = 0;
  for (std::size_t m = 0; m < mel.values.rows(); ++m)
    sum += static_cast<double>(mel.values.row(m)[frame]);
  return sum;
}

// Middle of the quietest kQuietFrames among `begin` to `end`.
std::size_t quietest(const models::LogMel& mel, std::size_t begin, std::size_t end) {
  std::size_t best = begin;
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t first = begin; first + kQuietFrames <= end; ++first) {
    double sum = 0;
    for (std::size_t i = 0; i < kQuietFrames; ++i) sum += loudness(mel, first + i);
    if (sum >= least) continue;
    least = sum;
    best = first + kQuietFrames / 2;
  }
  return best;
}

// Frame between `begin` and `end` at which speech in one language ends and in the other begins.
std::size_t place_of_change(const HeardWindow& window, std::size_t begin, std::size_t end,
                            const std::pair<std::string, std::string>& languages) {
  std::size_t best = (begin + end) / 2;
  double most = -std::numeric_limits<double>::infinity();
  for (std::size_t at = begin + kPlaceFrames; at + 2 * kPlaceFrames <= end; at += kPlaceFrames) {
    const std::size_t place = quietest(window.mel, at, at + kPlaceFrames);
    const auto before = window.hear(begin, place).probabilities;
    const auto behind = window.hear(place, end).probabilities;
    const double likelihood =
        log_probability(before, languages.first) + log_probability(behind, languages.second);
    if (likelihood <= most) continue;
    most = likelihood;
    best = place;
  }
  return best;
}

}  // namespace

LanguageRun first_run(std::span<const LanguageProbs> slices, const std::string& current) {
  Paths paths = {{current, {}}};
  for (const LanguageProbs& slice : slices) {
    if (!slice.empty()) paths = extended(paths, slice);
    // Without speech each goes on.
    for (auto& [code, path] : paths)
      path.languages.resize(path.languages.size() + slice.empty(), code);
  }
  const std::vector<std::string>& languages = best_of(paths).languages;
  const auto end = std::ranges::find_if(
      languages, [&](const std::string& each) { return each != languages.front(); });
  return {languages.front(), static_cast<std::size_t>(end - languages.begin())};
}

LanguageStretch first_stretch(const HeardWindow& window, const std::string& current) {
  const std::size_t n = std::max<std::size_t>(1, (window.size + kSliceFrames / 2) / kSliceFrames);
  const auto bound = [&](std::size_t i) { return i * window.size / n; };
  std::vector<LanguageProbs> slices;
  for (std::size_t i = 0; i < n; ++i) slices.push_back(speech_of(window, bound(i), bound(i + 1)));
  const LanguageRun run = first_run(slices, current);
  if (run.n_slices == n) return {run.language, window.size};
  const std::string next =
      first_run(std::span(slices).subspan(run.n_slices), run.language).language;
  const std::size_t place = place_of_change(window, bound(run.n_slices - 1),
                                            bound(run.n_slices + 1), {run.language, next});
  return {run.language, place};
}

// A text in another language is no prompt.
bool TranscriptionJob::settle_window(ActiveClip& clip, const models::EncoderStates& states) {
  if (!is_multilingual_ || clip.change) return true;
  Context& context = clip.context;
  const bool is_first = context.language.empty();
  const auto hear = [&](std::size_t begin, std::size_t end) {
    return recognizer_.hear_languages(slice_of(states, begin, end), heard_);
  };
  const LanguageStretch first =
      first_stretch({hear, clip.mel, clip.window.size, options_.no_speech_threshold},
                    is_first ? language_ : context.language);
  if (is_first) language_ = first.language;
  if (!is_first && first.language != context.language)
    context.prompt_reset_since = context.all_tokens.size();
  context.language = first.language;
  if (first.size == clip.window.size) return true;
  clip.change = clip.seek + first.size;
  clip.mel_seek.reset();
  return false;
}

}  // namespace wnpu::app
