// One transcription, on a thread of its own: another takes its segments while it goes on. Knows
// nothing of Python.
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <exception>
#include <memory>
#include <mutex>
#include <optional>
#include <stop_token>
#include <string>
#include <sys/types.h>
#include <thread>
#include <utility>
#include <variant>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/python/src/session_pool.h"

namespace wnpu::python {

// Seconds of audio that are done, and how many there are.
struct Progress {
  double done_s = 0;
  double total_s = 0;
};

// The last event is none.
using Event = std::variant<std::monostate, Segment, Progress>;

class Transcription {
 public:
  struct Work {
    Audio audio;  // its memory must outlive the transcription
    TranscribeOptions options;
    bool tells_progress = false;
    std::vector<std::string> text = {};  // to be aligned, a segment each; none: it is transcribed
  };

  // Reads the audio and settles the language, then waits for the first next().
  Transcription(std::shared_ptr<SessionPool> sessions, Work work);
  // Stops the work and waits for its thread. Not to be called in another process (is_here), which
  // has no such thread, and locks that nobody opens.
  ~Transcription() { close(); }  // NOLINT(bugprone-exception-escape): in a fork alone
  Transcription(Transcription&&) = delete;
  Transcription& operator=(Transcription&&) = delete;

  // These wait for at most `limit`, and give none where nothing came in that time. They throw what
  // the work ended with.
  std::optional<Beginning> beginning(std::chrono::milliseconds limit);
  std::optional<Event> next(std::chrono::milliseconds limit);

  void stop() { stop_.request_stop(); }
  // Stops, and waits for the thread. Any number of threads may call it at once.
  void close();
  // This is the process that it was begun in. In a fork of that all above throws.
  bool is_here() const;
  // Warnings of the engine, once all is done.
  std::vector<std::string> warnings();

 private:
  void run(std::unique_lock<std::mutex>& lock);
  void begin(const Beginning& beginning);
  void put(Event&& event);
  void check_process() const;
  // Whether it is so before the limit.
  template <typename Condition>
  bool wait(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds limit,
            const Condition& condition);

  std::shared_ptr<SessionPool> sessions_;
  Work work_;
  pid_t process_;
  std::stop_source stop_;

  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::optional<Beginning> beginning_;
  bool is_wanted_ = false;  // somebody asked for a segment
  std::deque<Event> events_;
  std::exception_ptr error_;
  std::vector<std::string> warnings_;
  bool is_over_ = false;

  std::mutex closing_;  // two threads may not join one
  std::thread thread_;
};

}  // namespace wnpu::python
