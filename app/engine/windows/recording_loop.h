// Several recordings at work together: windows of each are decoded beside those of others.
#pragma once

#include <cstddef>
#include <exception>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/window_loop.h"

namespace wnpu::app {

// A recording on its way: what is asked for, and who hears of it.
struct RecordingWork {
  std::string name;  // for messages
  TranscribeOptions options;
  audio::Input input = {};
  Callbacks callbacks = {};  // its should_stop ends this recording
  // Once, last; not called for one that is given up with its loop.
  std::function<void(Transcript transcript, std::exception_ptr failure)> done = {};
  std::optional<TranscriptionJob> job = {};  // its audio is read

  // Reads the audio, if that was not done. Throws what TranscriptionJob() does.
  void read(Recognizer& recognizer, const Listeners& listeners);
};

// Ends it with the exception at hand.
void end_failed(const RecordingWork& work);

class RecordingLoop {
 public:
  // `should_stop` ends all that is at work. `describe` adds what the session knows of a transcript:
  // device, model. The recognizer must outlive the loop.
  RecordingLoop(Recognizer& recognizer, WindowRoom room, std::function<bool()> should_stop,
                std::function<void(Transcript&)> describe);

  bool is_empty() const { return open_.empty(); }
  bool has_room() const { return open_.size() < loop_.n_at_work(); }
  const StepCount& steps() const { return loop_.steps(); }
  std::vector<const TranscriptionJob*> jobs() const;

  // Begins a recording, by `open` where there is more to do than read it. Where that fails by what
  // the recording is or asks for it is done; all else is thrown.
  void add(std::unique_ptr<RecordingWork> work, const std::function<void(RecordingWork&)>& open);
  // A turn of the window loop. Throws DeviceError, and what the callbacks throw.
  void turn();
  // Ends all: as they are, `truncated`, or with the exception at hand.
  void stop();
  void fail_all();

 private:
  void retire();
  void end(RecordingWork& work);
  void done(RecordingWork& ended, bool is_whole);

  std::function<void(Transcript&)> describe_;
  std::list<std::unique_ptr<RecordingWork>> open_;
  WindowLoop loop_;  // goes first
};

}  // namespace wnpu::app
