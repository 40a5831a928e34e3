// From probabilities of speech to regions worth decoding. Pure; rules and names of the
// thresholds are faster-whisper's (vad.py VadOptions, get_speech_timestamps).
#pragma once

#include <cstddef>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace wnpu::audio {

struct VadOptions {
  // Speech begins where the probability is at least this,
  double threshold = 0.5;
  // and ends where it is below this; none: threshold - 0.15, at least 0.01.
  std::optional<double> neg_threshold;
  // Shorter speech is dropped.
  double min_speech_duration_ms = 0;
  // Longer speech is cut, at its last silence of 98 ms where there is one.
  double max_speech_duration_s = std::numeric_limits<double>::infinity();
  // Shorter silence does not end speech.
  double min_silence_duration_ms = 2000;
  // Speech is taken with this much around it.
  double speech_pad_ms = 400;
};

// Samples at 16 kHz, end not included.
struct SpeechRegion {
  std::size_t start = 0;
  std::size_t end = 0;

  bool operator==(const SpeechRegion&) const = default;
};

// One probability for each 512 samples of n_samples. Regions in order, apart from each other, and
// not padded yet.
std::vector<SpeechRegion> speech_regions(std::span<const float> probabilities,
                                         std::size_t n_samples, const VadOptions& options);

// Joins neighbours into regions of at most max_samples, as long as the silence between them is at
// most max_gap_samples: a window costs the same whether it is full or not. Where the next region
// does not fit any more, the region ends at its widest silence that leaves it at least four fifths
// full: a sentence is seldom cut there.
std::vector<SpeechRegion> join_regions(std::span<const SpeechRegion> regions,
                                       std::size_t max_samples, std::size_t max_gap_samples);

// Takes speech_pad_ms more on both sides; two that are nearer than that share the silence between
// them.
std::vector<SpeechRegion> pad_regions(std::span<const SpeechRegion> regions, std::size_t n_samples,
                                      const VadOptions& options);

}  // namespace wnpu::audio
