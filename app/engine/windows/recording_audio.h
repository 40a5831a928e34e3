// Audio of a recording before its first window: its channels, mixed or each by itself, the
// stretches to transcribe of each, and whose turn it is when.
#pragma once

#include <cstddef>
#include <memory>
#include <vector>

#include "app/engine/speakers/channel_levels.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clips.h"
#include "audio/mel/mel_source.h"
#include "audio/read/input.h"
#include "audio/speakers/diarizer.h"
#include "audio/vad/vad_thread.h"

namespace wnpu::app {

// Channels that are heard each by itself, at most.
inline constexpr int kMostChannels = 8;

// Listeners to the audio while it is read; null: not asked for. They outlive the work. And whether
// anyone asks for probabilities of words.
struct Listeners {
  audio::VadThread* vad = nullptr;
  const audio::SpeakerModel* speakers = nullptr;
  bool wants_probabilities = true;
};

class RecordingAudio {
 public:
  struct Reading {
    std::size_t n_mels = 0;
    std::size_t n_threads = 1;
  };

  // Reads the audio, once for each channel that is heard by itself. Throws AudioError,
  // models::Stopped (none of it was read).
  RecordingAudio(const audio::Input& input, const TranscribeOptions& options,
                 const Callbacks& callbacks, const Listeners& listeners, const Reading& reading,
                 Timing& timing);

  // Channels, all of one length; one, where they are mixed.
  std::size_t n_channels() const { return mels_.size(); }
  audio::MelSource& mel(std::size_t channel = 0) { return *mels_[channel]; }
  const audio::MelSource& mel(std::size_t channel = 0) const { return *mels_[channel]; }
  // Channel with the most sound, of several the first.
  std::size_t loudest() const;
  bool is_stopped() const { return mels_.back()->is_stopped(); }
  // Clips of each channel, one channel behind the other.
  const std::vector<Clip>& clips() const { return clips_; }
  // Levels of separate channels.
  const std::vector<ChannelLevels>& levels() const { return levels_; }
  // Turns in mixed ones, with a speaker model.
  const std::vector<audio::SpeakerTurn>& turns() const { return turns_; }

 private:
  struct Order;

  void read(audio::InputFile file, const Order& order);

  std::vector<std::unique_ptr<audio::MelSource>> mels_;
  std::vector<Clip> clips_;
  std::vector<ChannelLevels> levels_;
  std::vector<audio::SpeakerTurn> turns_;
};

}  // namespace wnpu::app
