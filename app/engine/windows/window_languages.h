// Languages of a window that may hold several (TranscribeOptions::multilingual). The encoder's
// states, which are those that are decoded, are heard in slices of about 5 s.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/windows/spoken_language.h"
#include "decoder/search/language.h"
#include "models/base/stages.h"

namespace wnpu::app {

// Cost of a change of language, as a natural logarithm: what is heard behind it must be this much
// likelier in the new language than in the old one.
inline constexpr double kLanguageChange = 3;

// A window that was encoded.
struct HeardWindow {
  // Languages of its frames from `begin` to `end`.
  std::function<decoder::HeardLanguages(std::size_t begin, std::size_t end)> hear;
  const models::LogMel& mel;
  std::size_t size = 0;                       // frames of audio in it, at least 1
  std::optional<double> no_speech_threshold;  // a slice that has more is no speech; none: all are
};

// A stretch of slices in one language.
struct LanguageRun {
  std::string language;
  std::size_t n_slices = 0;
};

// The first run of the likeliest languages of slices, not none, each with the probabilities of all
// or, without speech, of none. A change costs kLanguageChange, that of `current`, the language
// before them, too.
LanguageRun first_run(std::span<const LanguageProbs> slices, const std::string& current);

// A stretch of a window in one language.
struct LanguageStretch {
  std::string language;
  std::size_t size = 0;  // frames
};

// The first stretch of a window, after speech in `current`. It ends at the window's end, or in the
// quietest moment about a change, at the one of those of a second each at which what is before and
// behind are likeliest.
LanguageStretch first_stretch(const HeardWindow& window, const std::string& current);

}  // namespace wnpu::app
