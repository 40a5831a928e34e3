// The log-mel windows of one input, as openai/whisper transcribe.py cuts them, in bounded memory.
//
// openai computes the log-mel of the whole file and 30 s of silence, raises everything to 8 below
// the maximum of that, and cuts windows from it. So the whole file is read once before the first
// window (first pass, in the constructor). While the frames fit into Options::budget_bytes they are
// kept; of a longer file only the maximum is, and the windows come from a second pass over the
// input.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audio/mel/log_mel.h"
#include "audio/mel/mel_filters.h"
#include "audio/mel/mel_frames.h"
#include "audio/mel/mel_pass.h"
#include "audio/read/input_file.h"
#include "audio/read/pcm_reader.h"
#include "models/base/stages.h"

namespace wnpu::audio {

// openai/whisper audio.py N_FRAMES: 30 s.
inline constexpr std::size_t kWindowFrames = 3000;

struct MelOptions {
  // Log-mel kept between the passes: 35 minutes of 80 mels, 22 of 128.
  std::size_t budget_bytes = std::size_t{64} << 20;
  // Called in the first pass with each block of 16 kHz samples (at most 1 s), in order: for a voice
  // activity detector, a progress bar.
  std::function<void(std::span<const float>)> on_pcm = {};
  // Asked in both passes, also while a pipe is waited for; true, which it must stay, ends the
  // reading: where none of the audio was read, and in the second pass, with models::Stopped.
  std::function<bool()> should_stop = {};
  // Frames of the first pass are made in a thread of their own, beside the reading.
  bool beside = false;
};

class MelSource {
 public:
  // Reads the input to its end. Throws AudioError, models::Stopped.
  MelSource(InputFile file, std::size_t n_mels, const MelOptions& options = {});
  MelSource(const Input& input, std::size_t n_mels, const MelOptions& options = {})
      : MelSource(InputFile(input, options.should_stop), n_mels, options) {}
  MelSource(MelSource&&) = delete;
  MelSource& operator=(MelSource&&) = delete;

  // transcribe.py content_frames: frames that start within the audio, 10 ms each.
  std::size_t content_frames() const { return static_cast<std::size_t>(n_samples_ / kHopSamples); }
  double duration_s() const { return static_cast<double>(n_samples_) / kSampleRate; }
  // The reading was stopped; everything here is about the audio up to that point.
  bool is_stopped() const { return is_stopped_; }

  // Padding behind the audio: 0.0, as transcribe.py's pad_or_trim leaves the windows that it
  // decodes, or the log-mel of silence, in which it detects the language.
  enum class Padding { zero, silence };
  // Writes the frames first_frame .. first_frame + 3000 to out.values [n_mels, 3000] (allocated
  // where its shape differs), and the padding beyond content_frames(). Cheap for windows in
  // ascending order; going back in a long file reads it from the start again. Throws AudioError,
  // models::Stopped.
  void window(std::size_t first_frame, models::LogMel& out, Padding padding = Padding::zero);

  const PcmInfo& info() const { return info_; }
  const std::vector<std::string>& warnings() const { return warnings_; }
  const MelTimings& timings() const { return timings_; }

 private:
  void first_pass(const MelOptions& options);
  void hold(std::size_t first, std::size_t end);
  float value_of(Padding padding) const;

  InputFile file_;
  std::size_t n_mels_;
  PcmInfo info_;
  std::vector<std::string> warnings_;
  MelTimings timings_;
  std::uint64_t n_samples_ = 0;  // at 16 kHz
  std::size_t n_frames_ = 0;     // with those behind the content, which touch the audio's end
  bool is_stopped_ = false;
  float maximum_ = 0;     // log10 power
  bool is_whole_ = true;  // frames_ holds every frame: no second pass
  MelFrames frames_;
  std::unique_ptr<MelPass> second_pass_;
};

inline float MelSource::value_of(Padding padding) const {
  float value = kLeastLogPower;
  normalise({&value, 1}, maximum_, {&value, 1});
  return padding == Padding::silence ? value : 0;
}

}  // namespace wnpu::audio
