// A file on its way from audio to transcript: read the audio, find its clips, settle the language,
// then its windows, which window_loop.h encodes and decodes. One clip after the other as
// openai/whisper transcribe.py does it, or several independent clips at once (batch_size above 1).
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clips.h"
#include "app/engine/windows/language_choice.h"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/recording_audio.h"
#include "app/engine/windows/speaker_labels.h"
#include "app/engine/windows/window_options.h"
#include "audio/read/input.h"
#include "decoder/text/segments.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {

class TranscriptionJob;

// A clip at work.
struct ActiveClip {
  // Its next window: to be encoded, being encoded ahead, in `states`, in `slot`.
  enum class Stage { waiting, ahead, encoded, decoding };

  TranscriptionJob* file = nullptr;
  Stage stage = Stage::waiting;
  std::size_t seek = 0;  // frame (10 ms) of the file at which the next window begins
  std::size_t end = 0;
  std::size_t channel = 0;
  std::size_t slot = 0;  // of the recognizer, while the window is decoded
  Context context;
  // Frame at which another language begins than the context's; none: it is not known yet where.
  std::optional<std::size_t> change;
  std::vector<decoder::Segment> segments;  // found, but not handed out yet
  decoder::Window window;                  // the next to decode
  models::LogMel mel;                      // frames from mel_seek on, 0 beyond the clip
  std::optional<std::size_t> mel_seek;     // none: nothing was loaded
  models::EncoderStates states;            // of window; none where it was encoded into its slot

  bool is_done() const { return seek >= end; }
  // End of what the windows at hand belong to.
  std::size_t stretch_end() const { return change.value_or(end); }
};

// Windows that a job was given room for, and when, counted in those of all, it last was.
struct Turns {
  std::size_t n = 0;
  std::optional<std::size_t> waits_since = {};  // none: it is new
};

// Longest recording that is short, seconds: half a window, as of those who speak to a machine.
inline constexpr double kShortS = 15;

class TranscriptionJob {
 public:
  // Reads the audio, with the listeners that the options ask for. All arguments must outlive it.
  // Throws AudioError, models::Stopped (none of it was read).
  TranscriptionJob(Recognizer& recognizer, const TranscribeOptions& options,
                   const audio::Input& input, const Callbacks& callbacks,
                   const Listeners& listeners);
  TranscriptionJob(TranscriptionJob&&) = delete;

  // Settles language and clips; comes before what follows. Throws models::Stopped, AudioError,
  // DeviceError.
  void begin();

  // Window options, equal for all files that are worked on together.
  const WindowOptions& window_options() const { return *window_options_; }
  Transcript& transcript() { return transcript_; }
  // Frames of the only channel.
  audio::MelSource& mel() { return audio_.mel(); }
  double duration_s() const { return audio_.mel().duration_s(); }
  bool is_short() const { return duration_s() <= kShortS; }

  bool is_done() const { return failure_ || (next_ == all_.size() && active_.empty()); }
  // Exception from reading the audio again, models::Stopped too: it ends this file alone.
  const std::exception_ptr& failure() const { return failure_; }

  // Opens clips until n_wanted of them have windows left. Unless batched only one is open at a
  // time, since its text is the prompt of the next.
  void open_clips(std::size_t n_wanted);
  // Open clips whose next window is at a stage: the first, if any, and how many.
  ActiveClip* first_clip(ActiveClip::Stage stage);
  std::size_t count(ActiveClip::Stage stage) const;
  Turns& turns() { return turns_; }
  const Turns& turns() const { return turns_; }
  // Seconds of audio behind the windows that are done.
  double remaining_s() const;

  // Sets the clip's window and log-mel to the next; false: the file has failed.
  bool next_window(ActiveClip& clip);
  // Settles the language of the clip's window, by its encoder states; false: another language
  // begins in it, and it has to be made again, up to there.
  bool settle_window(ActiveClip& clip, const models::EncoderStates& states);
  // The slot and the options to decode the clip's window with.
  DecodeJob decode_job(const ActiveClip& clip, double temperature) const;
  // Turns the decoded tokens into segments of the clip, and sets clip.seek to the frame at which
  // its next window begins.
  void finish_window(ActiveClip& clip, const decoder::Decoded& decoded);
  // Once a window has ended: segments go out in the order of the clips, of the first clip at once.
  void emit_segments();

  // Task, language, segments, input, timing (all but load) and warnings. `is_whole`: no
  // models::Stopped has ended the work.
  Transcript finish(bool is_whole);

 private:
  void take_encoded(ActiveClip& opened);
  void load_mel(ActiveClip& clip);
  void emit(std::vector<Segment> segments);
  double content_s() const;
  double done_s(
      const ActiveClip& clip) const;  // of content_s(), in which channels have equal parts
  void add_segments(ActiveClip& clip, const decoder::Decoded& decoded);
  void pass_on_context(ActiveClip& clip, const decoder::Decoded& decoded) const;

  models::Clock::time_point start_ = models::Clock::now();
  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  const audio::Input& input_;
  const Callbacks& callbacks_;
  bool is_batched_;
  bool is_multilingual_;  // each window has a language of its own
  bool wants_probabilities_;
  Transcript transcript_;
  RecordingAudio audio_;
  SpeakerLabels labels_;
  std::vector<Clip> all_;  // found by the detector, or as the options say
  std::size_t next_ = 0;   // of all_, to be opened
  std::optional<WindowOptions> window_options_;
  std::optional<EncodedWindow> encoded_;  // while the language was settled
  Context carried_;                       // from clip to clip, unless batched
  std::string language_;                  // of the first windows of clips, the last one's
  std::deque<ActiveClip> active_;         // in order: at work, or not handed out yet
  Turns turns_;
  bool has_news_ = false;   // a window has ended
  decoder::CrossKv heard_;  // of slices whose language alone is asked for
  std::exception_ptr failure_;
};

}  // namespace wnpu::app
