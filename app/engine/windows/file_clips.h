// A file at work: its clips, and what their windows give. One clip after the other as
// openai/whisper transcribe.py does it, or several independent clips at once (batch_size above 1).
#pragma once

#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clips.h"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/window_options.h"
#include "audio/mel/mel_source.h"
#include "decoder/text/segments.h"

namespace wnpu::app {

class FileClips;

// The log-mel of a clip's windows, which may overlap.
class ClipMel {
 public:
  // The window's frames, of a clip that ends at clip_end, and 0 behind them, which the encoder may
  // pool where `pools_padding`. Windows come in order.
  // The time it takes, but for the source's own, is added to mel_s. Throws as MelSource::window().
  const models::LogMel& load(audio::MelSource& source, const decoder::Window& window,
                             std::size_t clip_end, bool pools_padding, double& mel_s);

 private:
  models::LogMel mel_;                // the frames from start_ on, 0 beyond the clip
  std::optional<std::size_t> start_;  // none: nothing was loaded
};

// A clip at work.
struct OpenClip {
  FileClips* file = nullptr;
  std::size_t seek = 0;  // frame (10 ms) of the file at which the next window begins
  std::size_t end = 0;
  std::size_t slot = 0;  // of the recognizer, while the window is decoded
  Context context;
  std::vector<decoder::Segment> segments;  // found, but not handed out yet
  decoder::Window window;                  // the next to decode
  ClipMel mel;
  models::EncoderStates states;  // of window; none where it was encoded into its slot
  bool is_encoded = false;       // window is

  bool is_done() const { return seek >= end; }
};

// A whole window of 30 s that was encoded before the loop.
struct EncodedWindow {
  std::size_t seek = 0;  // its first frame
  models::EncoderStates states;
};

// Input and outputs of a file's windows.
struct FileEnds {
  audio::MelSource& mel;
  Transcript& transcript;
  const Callbacks& callbacks;
};

class FileClips {
 public:
  // All arguments but the last two must outlive it. Segments and times go to `transcript`, whose
  // language must be set. `encoded` is not encoded again.
  FileClips(Recognizer& recognizer, const TranscribeOptions& options, const FileEnds& ends,
            std::vector<Clip> clips, std::optional<EncodedWindow> encoded = {});

  // Window options, equal for all files that are worked on together.
  const WindowOptions& window_options() const { return window_options_; }
  Transcript& transcript() { return transcript_; }

  bool is_done() const { return failure_ || (next_ == all_.size() && open_.empty()); }
  // Exception from reading the audio again: it ends this file alone.
  const std::exception_ptr& failure() const { return failure_; }

  // Opens clips until n_wanted of them have windows left. Unless batched only one is open at a
  // time, since its text is the prompt of the next.
  void open(std::size_t n_wanted);
  // In order: at work, or not handed out yet.
  std::deque<OpenClip>& clips() { return open_; }

  // Sets the clip's window to the next, and gives its log-mel; nullptr: the file has failed.
  const models::LogMel* next_window(OpenClip& clip);
  // The slot and the options to decode the clip's window with.
  DecodeJob job(const OpenClip& clip, double temperature) const;
  // Turns the decoded tokens into segments of the clip, and sets clip.seek to the frame at which
  // its next window begins.
  void finish_window(OpenClip& clip, const decoder::Decoded& decoded);
  // Segments go out in the order of the clips: those of the first clip at once.
  void hand_out();

 private:
  void take_encoded(OpenClip& opened);
  void pass_on_context(OpenClip& clip, const decoder::Decoded& decoded) const;

  Recognizer& recognizer_;
  const TranscribeOptions& options_;
  audio::MelSource& mel_;
  Transcript& transcript_;
  const Callbacks& callbacks_;
  WindowOptions window_options_;
  bool is_batched_;
  std::vector<Clip> all_;
  std::size_t next_ = 0;  // of all_, to be opened
  std::optional<EncodedWindow> encoded_;
  Context carried_;  // from clip to clip, unless batched
  std::deque<OpenClip> open_;
  std::exception_ptr failure_;
};

}  // namespace wnpu::app
