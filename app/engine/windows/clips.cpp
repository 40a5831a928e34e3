#include "app/engine/windows/clips.h"

#include <algorithm>

#include "app/engine/timestamp.h"
#include "audio/mel/mel_source.h"
#include "audio/vad/speech_regions.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kSamplesPerFrame = audio::kHopSamples;
constexpr std::size_t kWindowSamples = audio::kWindowFrames * kSamplesPerFrame;
// Speech that is nearer than this is decoded in one window: a pause that a speaker makes is
// context, and a window costs the same whether it is full or not.
constexpr std::size_t kJoinedGapSamples = std::size_t{3} * audio::kSampleRate;

constexpr double kBatchedSilenceMs = 160;

audio::VadOptions vad_options(const TranscribeOptions& options) {
  const VadOptions& wanted = options.vad;
  const auto& min_silence = wanted.min_silence_duration_ms;
  audio::VadOptions vad{.threshold = wanted.threshold,
                        .neg_threshold = wanted.neg_threshold,
                        .min_speech_duration_ms = wanted.min_speech_duration_ms,
                        .speech_pad_ms = wanted.speech_pad_ms};
  if (min_silence) vad.min_silence_duration_ms = *min_silence;
  if (wanted.max_speech_duration_s) vad.max_speech_duration_s = *wanted.max_speech_duration_s;
  if (options.batch_size > 1) {
    vad.min_silence_duration_ms = min_silence.value_or(kBatchedSilenceMs);
    vad.max_speech_duration_s = std::min(vad.max_speech_duration_s,
                                         static_cast<double>(kWindowSamples) / audio::kSampleRate);
  }
  return vad;
}

}  // namespace

std::vector<Clip> clips_between(std::span<const double> timestamps, std::size_t n_frames) {
  std::vector<std::size_t> bounds;
  bounds.reserve(timestamps.size() + 1);
  for (const double seconds : timestamps) bounds.push_back(to_frame(seconds));
  if (bounds.empty()) bounds.push_back(0);
  if (bounds.size() % 2 == 1) bounds.push_back(n_frames);
  std::vector<Clip> clips;
  std::size_t seek = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
    seek = std::max(seek, bounds[i]);
    clips.push_back({seek, std::min(bounds[i + 1], n_frames)});
    seek = std::max(seek, clips.back().end);
  }
  return clips;
}

std::vector<Clip> clips_of_speech(std::span<const float> probabilities, std::size_t n_frames,
                                  const TranscribeOptions& options) {
  const std::size_t n_samples = n_frames * kSamplesPerFrame;
  const audio::VadOptions vad = vad_options(options);
  const auto padding = static_cast<std::size_t>(2 * vad.speech_pad_ms / 1000 * audio::kSampleRate);
  const auto longest = static_cast<std::size_t>(
      std::min<double>(kWindowSamples, vad.max_speech_duration_s * audio::kSampleRate));
  const auto speech = audio::speech_regions(probabilities, n_samples, vad);
  const auto joined =
      audio::join_regions(speech, longest - std::min(longest, padding), kJoinedGapSamples);
  std::vector<Clip> clips;
  for (const auto& region : audio::pad_regions(joined, n_samples, vad)) {
    clips.push_back(
        {region.start / kSamplesPerFrame, std::min(n_frames, region.end / kSamplesPerFrame)});
  }
  return clips;
}

void warn_of_clips_beyond(double duration_s, const TranscribeOptions& options,
                          std::vector<std::string>& warnings) {
  const auto& clips = options.clip_timestamps;
  if (clips.empty() || clips.back() <= duration_s) return;
  warnings.push_back("clip_timestamps: " + format_timestamp(clips.back(), {}) +
                     " is beyond the end, " + format_timestamp(duration_s, {}));
}

}  // namespace wnpu::app
