// Several recordings at work together: a round of windows takes one of each.
#pragma once

#include <cstddef>
#include <functional>
#include <list>
#include <optional>

#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/clip_loop.h"
#include "app/engine/windows/recognizer.h"

namespace wnpu::app {

// Shared settings and callbacks of all recordings; must outlive the work.
struct BatchWork {
  std::size_t n_together = 1;
  const TranscribeOptions& options;
  const RecordingCallbacks& callbacks;
  audio::VadThread* vad = nullptr;
  // Throws Error for options, with a recording's language, that the model cannot serve.
  std::function<void(const TranscribeOptions&)> check;
  // Adds what the session knows of a transcript: device, model.
  std::function<void(Transcript&)> describe;
};

class BatchTranscriber {
 public:
  BatchTranscriber(Recognizer& recognizer, const BatchWork& work);

  // Throws DeviceError, and what the callbacks throw. Where the work is stopped, what was at work
  // is done, `truncated`.
  void run();

 private:
  struct Open {
    std::size_t number = 0;
    TranscribeOptions options;
    audio::Input input;
    std::optional<TranscriptionJob> file;
  };

  void work();
  void admit();
  void open(const Recording& recording);
  void begin(Open& opened, const Recording& recording);
  void retire();
  AtWork at_work() const;
  void done(Open& ended, bool is_whole);
  void fail(std::size_t number, const std::string& name, const std::exception_ptr& failure);

  Recognizer& recognizer_;
  const BatchWork& work_;
  ClipLoop loop_;
  Callbacks of_each_;  // should_stop alone
  std::list<Open> open_;
  std::size_t n_given_ = 0;
};

}  // namespace wnpu::app
