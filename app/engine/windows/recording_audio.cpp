#include "app/engine/windows/recording_audio.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "audio/read/error.h"
#include "audio/read/pcm_reader.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

std::size_t separate_channels(const audio::InputFile& file) {
  const int channels = audio::open_pcm(file)->info().channels;
  if (channels <= kMostChannels) return static_cast<std::size_t>(std::max(channels, 1));
  throw audio::AudioError(file.name() + ": expected at most " + std::to_string(kMostChannels) +
                          " channels to hear each by itself, found " + std::to_string(channels));
}

}  // namespace

struct RecordingAudio::Order {
  const TranscribeOptions& options;
  const Callbacks& callbacks;
  const Listeners& listeners;
  const Reading& reading;
  Timing& timing;
  std::size_t n_channels;
};

RecordingAudio::RecordingAudio(const audio::Input& input, const TranscribeOptions& options,
                               const Callbacks& callbacks, const Listeners& listeners,
                               const Reading& reading, Timing& timing) {
  audio::InputFile file(input, callbacks.should_stop);
  if (options.channels == Channels::mix) {
    read(std::move(file), {options, callbacks, listeners, reading, timing, 1});
    return;
  }
  const std::size_t n = separate_channels(file);
  for (std::size_t channel = 0; channel < n; ++channel) {
    levels_.emplace_back();
    read(file.of_channel(channel), {options, callbacks, listeners, reading, timing, n});
    if (is_stopped()) return;
  }
}

void RecordingAudio::read(audio::InputFile file, const Order& order) {
  audio::VadThread* const vad = order.listeners.vad;
  std::optional<audio::Diarizer> diarizer;
  if (order.listeners.speakers != nullptr) {
    const SpeakerOptions& wanted = order.options.speakers;
    const audio::SpeakerCount count{static_cast<int>(wanted.min), static_cast<int>(wanted.max)};
    diarizer.emplace(*order.listeners.speakers, count, order.reading.n_threads);
  }
  ChannelLevels* const levels = levels_.empty() ? nullptr : &levels_.back();
  audio::MelOptions options;
  options.budget_bytes = order.options.feature_bytes / order.n_channels;
  options.beside = order.reading.n_threads > 1;
  options.should_stop = order.callbacks.should_stop;
  options.on_pcm = [&](std::span<const float> samples) {
    if (order.callbacks.on_samples) order.callbacks.on_samples(samples);
    if (levels != nullptr) levels->add(samples);
    if (diarizer) diarizer->add(samples);
    if (vad == nullptr) return;
    const models::StageTimer timer(order.timing.vad);
    vad->push(samples);
  };
  if (vad != nullptr) vad->start();
  mels_.push_back(
      std::make_unique<audio::MelSource>(std::move(file), order.reading.n_mels, options));
  if (diarizer) turns_ = diarizer->finish();
  const std::size_t n_frames = mels_.back()->content_frames();
  const models::StageTimer timer(order.timing.vad);
  auto clips = vad == nullptr ? clips_between(order.options.clip_timestamps, n_frames)
                              : clips_of_speech(vad->finish(), n_frames, order.options);
  for (Clip& clip : clips) {
    clip.channel = mels_.size() - 1;
    clips_.push_back(clip);
  }
}

std::size_t RecordingAudio::loudest() const {
  const auto most = std::ranges::max_element(levels_, {}, &ChannelLevels::total);
  return most == levels_.end() ? 0 : static_cast<std::size_t>(most - levels_.begin());
}

}  // namespace wnpu::app
