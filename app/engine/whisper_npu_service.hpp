// Many requests at once on one model: windows of different recordings are decoded together, and
// join and leave between the decoder's steps. For servers; a program with files of its own has
// Session.
//
//   wnpu::Service service(model);
//   wnpu::Request request = service.submit({.path = "talk.wav"}, {}, {.done = on_done});
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <utility>

#include "whisper_npu.hpp"

namespace wnpu {

struct ServiceOptions {
  // Windows that are decoded together, 1 to 64; of recordings of up to 15 s a quarter more.
  std::size_t n_together = 8;
  unsigned threads = 0;       // as Session's
  std::size_t n_readers = 2;  // requests whose audio is read at a time, 1 to 64
};

// Callbacks of a request, on threads of the service, never two at a time; other requests wait
// meanwhile, so that they must not block. What the first two throw ends the request, and comes to
// done(), which must not throw.
struct RequestCallbacks {
  std::function<void(const Beginning&)> on_beginning = {};  // as in Callbacks
  std::function<void(const Segment&)> on_segment = {};      // as in Callbacks
  // Once, last: the transcript, or what was thrown. What was cancelled at work is `truncated`, or
  // Error(stopped) where its audio was not open yet.
  std::function<void(Transcript transcript, std::exception_ptr failure)> done;
};

// A request that was submitted. Copies are the same request; it goes on without them.
class WHISPER_NPU_API Request {
 public:
  Request() = default;  // none
  // Within a window; done() is called as ever. May be called from any thread, and again.
  void cancel();

  struct State;

 private:
  friend class Service;
  explicit Request(std::shared_ptr<State> state) : state_(std::move(state)) {}
  std::shared_ptr<State> state_;
};

// Numbers of a service, since its beginning where they are sums.
struct ServiceLoad {
  std::size_t n_waiting = 0;   // requests that have not begun: unread, or without a window so far
  std::size_t n_at_work = 0;   // requests that have begun and not ended
  double waiting_s = 0;        // of the audio that is read and not decoded yet
  std::size_t n_decoding = 0;  // windows that are being decoded, of long requests up to n_together
  std::uint64_t n_steps = 0;   // of the decoder
  std::uint64_t n_windows_in_steps = 0;  // sum over them of windows at work: their mean is the fill
};

class WHISPER_NPU_API Service {
 public:
  // Throws Error, as Session does.
  explicit Service(const Model& model, const ServiceOptions& options = {});
  // Cancels what is at work, and waits for it.
  ~Service();
  Service(Service&&) noexcept;
  Service& operator=(Service&&) noexcept;

  // Queues a recording, whose bytes must stay valid until done(). Text, times and words are bit for
  // bit those of Session::transcribe(), whatever else is at work. Turns between requests are fair:
  // those that have had the fewest windows come first, of these the shortest, and each fourth turn
  // is that of the one that has waited longest. Recordings of up to 15 s do not wait for a window
  // of another to end, and seven of eight steps are theirs. Throws Error: usage, for options that
  // the model cannot serve, and audio, for a raw format that does not exist; all other errors come
  // to done(). May be called from any thread.
  Request submit(const Audio& audio, const TranscribeOptions& options, RequestCallbacks callbacks);
  ServiceLoad load() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace wnpu
