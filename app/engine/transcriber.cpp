#include "app/engine/transcriber.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "app/engine/stage_timer.h"
#include "app/engine/timestamp.h"
#include "audio/vad/speech_regions.h"
#include "models/base/stopped.h"

namespace wnpu::app {
namespace {

constexpr double kFramesPerSecond = 100;
constexpr std::size_t kSamplesPerFrame = 160;
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
  if (options.batch_size > 1) {
    vad.min_silence_duration_ms = min_silence.value_or(kBatchedSilenceMs);
    vad.max_speech_duration_s = std::min(vad.max_speech_duration_s,
                                         static_cast<double>(kWindowSamples) / audio::kSampleRate);
  }
  return vad;
}

}  // namespace

Transcriber::Transcriber(Recognizer& recognizer, const TranscribeOptions& options,
                         audio::VadThread* vad)
    : recognizer_(recognizer), options_(options), vad_(options.vad.enabled ? vad : nullptr) {}

Transcript Transcriber::transcribe(const audio::Input& input, const Callbacks& callbacks) {
  const auto start = Clock::now();
  vad_s_ = 0;
  if (vad_) vad_->start();
  recognizer_.set_should_stop(callbacks.should_stop);
  audio::MelOptions mel_options;
  mel_options.beside = recognizer_.pool().n_threads() > 1;
  mel_options.should_stop = callbacks.should_stop;
  mel_options.on_pcm = [&](std::span<const float> samples) { return listen(samples, callbacks); };
  audio::MelSource mel(input, recognizer_.dims().n_mels, mel_options);
  if (callbacks.on_progress) callbacks.on_progress(0, mel.duration_s());
  Transcript transcript;
  const auto stretches = ranges(mel);
  transcript.truncated = mel.is_cancelled() || !decode(mel, stretches, transcript, callbacks);

  transcript.task = decoder::kTaskNames[static_cast<std::size_t>(options_.task)];
  transcript.input.path = input.path.empty() ? "memory" : input.path.string();
  transcript.input.format = mel.info().format;
  transcript.input.channels = mel.info().channels;
  transcript.input.sample_rate = mel.info().sample_rate;
  transcript.input.duration = mel.duration_s();
  transcript.warnings = mel.warnings();
  warn_of_clips_beyond(mel.duration_s(), transcript);
  transcript.timing.decode_audio = mel.timings().decode_s;
  transcript.timing.mel += mel.timings().mel_s;
  transcript.timing.vad = vad_s_;
  transcript.timing.total = seconds_since(start);
  return transcript;
}

bool Transcriber::decode(audio::MelSource& mel, const std::vector<FrameRange>& ranges,
                         Transcript& transcript, const Callbacks& callbacks) {
  try {
    return choose_language(mel, ranges, transcript) &&
           ClipLoop(recognizer_, options_, mel, transcript, callbacks).run(ranges);
  } catch (const models::Stopped&) {
    return false;
  }
}

bool Transcriber::listen(std::span<const float> samples, const Callbacks& callbacks) {
  if (callbacks.should_stop && callbacks.should_stop()) return false;
  if (!vad_) return true;
  StageTimer timer(vad_s_);
  vad_->push(samples);
  return true;
}

std::vector<FrameRange> Transcriber::ranges(const audio::MelSource& mel) {
  return vad_ ? speech_ranges(mel) : clip_ranges(mel);
}

std::vector<FrameRange> Transcriber::speech_ranges(const audio::MelSource& mel) {
  StageTimer timer(vad_s_);
  const std::size_t content = mel.content_frames();
  const std::size_t n_samples = content * kSamplesPerFrame;
  const audio::VadOptions vad = vad_options(options_);
  const auto padding = static_cast<std::size_t>(2 * vad.speech_pad_ms / 1000 * audio::kSampleRate);
  const auto speech = audio::speech_regions(vad_->finish(), n_samples, vad);
  const auto joined = audio::join_regions(
      speech, kWindowSamples - std::min(kWindowSamples, padding), kJoinedGapSamples);
  std::vector<FrameRange> ranges;
  for (const auto& region : audio::pad_regions(joined, n_samples, vad)) {
    ranges.push_back(
        {region.start / kSamplesPerFrame, std::min(content, region.end / kSamplesPerFrame)});
  }
  return ranges;
}

void Transcriber::warn_of_clips_beyond(double duration_s, Transcript& transcript) const {
  const auto& clips = options_.clip_timestamps;
  if (transcript.truncated || clips.empty() || clips.back() <= duration_s) return;
  transcript.warnings.push_back("--clip-timestamps: " + format_timestamp(clips.back(), {}) +
                                " is beyond the end, " + format_timestamp(duration_s, {}));
}

std::vector<FrameRange> Transcriber::clip_ranges(const audio::MelSource& mel) const {
  const std::size_t content = mel.content_frames();
  std::vector<std::size_t> bounds;
  for (const double seconds : options_.clip_timestamps) {
    bounds.push_back(static_cast<std::size_t>(std::lround(seconds * kFramesPerSecond)));
  }
  if (bounds.empty()) bounds.push_back(0);
  if (bounds.size() % 2 == 1) bounds.push_back(content);
  std::vector<FrameRange> ranges;
  std::size_t seek = 0;
  for (std::size_t i = 0; i + 1 < bounds.size(); i += 2) {
    seek = std::max(seek, bounds[i]);
    ranges.push_back({seek, std::min(bounds[i + 1], content)});
    seek = std::max(seek, ranges.back().end);
  }
  return ranges;
}

// From the first windows: one that is sure decides, else the language most of them chose
// (faster-whisper's language_detection_threshold and language_detection_segments; openai-whisper
// looks at the first window alone).
bool Transcriber::choose_language(audio::MelSource& mel, const std::vector<FrameRange>& ranges,
                                  Transcript& transcript) {
  transcript.language = options_.language;
  if (!transcript.language.empty()) return true;
  transcript.language = "en";
  if (!recognizer_.vocabulary().is_multilingual()) return true;
  models::LogMel window;
  std::map<std::string, std::size_t> votes;
  std::size_t seek = ranges.empty() ? 0 : ranges.front().start;
  for (std::size_t i = 0; i < options_.language_detection_segments; ++i) {
    if (i > 0 && seek >= mel.content_frames()) break;
    mel.window(seek, window);
    seek += audio::kWindowFrames;
    if (!recognizer_.encode(0, window, &transcript.timing)) return false;
    StageTimer timer(transcript.timing.decode);
    auto probabilities = recognizer_.language_probabilities(0);
    const auto& [code, probability] = probabilities.front();
    const bool sure = probability > options_.language_detection_threshold;
    const bool leads = ++votes[code] >= votes[transcript.language];
    if (sure || leads) {
      transcript.language = code;
      transcript.language_probs = std::move(probabilities);
    }
    if (sure) break;
  }
  return true;
}

}  // namespace wnpu::app
