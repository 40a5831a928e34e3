// Live transcription of one client, on a thread of its own: its events in, the server's out.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>

#include "app/engine/whisper_npu.hpp"
#include "app/serve/realtime/events.h"
#include "app/serve/realtime/items.h"

namespace wnpu::serve {

// Options of all live sessions.
struct RealtimeOptions {
  TranscribeOptions transcribe =
      {};                         // vad.weights: if the file is not there, loudness tells speech
  unsigned threads = 0;           // of a session; 0: as the model says
  std::size_t most_sessions = 4;  // at once
  double idle_s = 300;            // without an event of the client's, then a session ends
};

// Calls of a session's thread.
struct RealtimeHooks {
  std::function<void(std::string event)> send;
  std::function<void()> room;   // take() said that there is none, and now there is
  std::function<void()> ended;  // last: nothing more is heard
};

// Client's events on their way to the thread.
class RealtimeQueue {
 public:
  enum class Next { audio, event, nothing, end };

  void push(ClientEvent event);
  // No more are heard.
  void end();
  bool is_ended() const { return is_ended_; }
  // Kind of the first that is there, within that time.
  Next wait(std::chrono::milliseconds patience);
  // After Next::audio: some of it.
  std::size_t take_audio(std::span<std::byte> out);
  // After Next::event.
  ClientEvent take_event();
  // Bytes that are there: audio, and some for each event.
  std::size_t size() const { return size_; }

 private:
  void drop_first();

  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<ClientEvent> events_;
  std::size_t at_ = 0;  // in the audio of the first
  std::atomic<std::size_t> size_ = 0;
  std::atomic<bool> is_ended_ = false;
};

class RealtimeSession {
 public:
  RealtimeSession(std::shared_ptr<const RealtimeOptions> options, const RealtimeSettings& settings,
                  std::shared_ptr<RealtimeWriter> writer, RealtimeHooks hooks);
  ~RealtimeSession();
  RealtimeSession(const RealtimeSession&) = delete;
  RealtimeSession& operator=(const RealtimeSession&) = delete;

  // Never waits. The first audio needs a model before it. False: the client is to be heard again
  // when the hook says that there is room.
  bool take(ClientEvent event);
  // The client has left, or the server ends: run() returns within a window.
  void end() { queue_.end(); }
  // The thread's work.
  void run();
  bool is_over() const { return is_over_; }

 private:
  struct Recognition;

  void work();
  void hear();
  void listen();
  void act_on(const ClientEvent& event);
  void update(const RealtimeSettings& settings);
  RealtimeQueue::Next wait();
  std::size_t read(std::span<std::byte> out);
  bool is_late() const;

  std::shared_ptr<const RealtimeOptions> options_;
  RealtimeSettings settings_;
  std::shared_ptr<const Model> model_;
  std::shared_ptr<RealtimeWriter> writer_;
  RealtimeHooks hooks_;
  RealtimeQueue queue_;
  std::atomic<bool> is_full_ = false;
  std::atomic<bool> is_over_ = false;
  std::unique_ptr<Recognition> recognition_;
  RealtimeItems items_;
};

// Sessions that are at work. For one thread.
class RealtimeRoom {
 public:
  explicit RealtimeRoom(RealtimeOptions options)
      : options_(std::make_shared<const RealtimeOptions>(std::move(options))) {}
  // Ends all, and waits for them.
  ~RealtimeRoom();
  RealtimeRoom(const RealtimeRoom&) = delete;
  RealtimeRoom& operator=(const RealtimeRoom&) = delete;

  // Throws ApiError where there are as many as there may be.
  std::shared_ptr<RealtimeSession> open(const RealtimeSettings& settings,
                                        std::shared_ptr<RealtimeWriter> writer,
                                        RealtimeHooks hooks);
  std::size_t n_sessions();
  void end_all();

 private:
  struct Place {
    std::shared_ptr<RealtimeSession> session;
    std::thread thread;
  };

  std::shared_ptr<const RealtimeOptions> options_;
  std::list<Place> places_;
};

}  // namespace wnpu::serve
