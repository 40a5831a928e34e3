#include "app/python/src/transcription.h"

#include <unistd.h>

namespace wnpu::python {
namespace {

// Segments that are decoded before they are asked for: about a window's. Who stops asking stops the
// work.
constexpr std::size_t kAhead = 16;

class LentSession {
 public:
  explicit LentSession(SessionPool& pool) : pool_(pool), session_(pool.take()) {}
  ~LentSession() { pool_.give_back(std::move(session_)); }
  LentSession(LentSession&&) = delete;
  LentSession& operator=(LentSession&&) = delete;

  Session& get() { return session_.get(); }

 private:
  SessionPool& pool_;
  OwnedSession session_;
};

}  // namespace

Transcription::Transcription(std::shared_ptr<SessionPool> sessions, Work work)
    : sessions_(std::move(sessions)), work_(std::move(work)), process_(getpid()) {
  thread_ = std::thread([this] {
    std::unique_lock lock(mutex_);
    try {
      run(lock);
    } catch (...) {
      if (!lock.owns_lock()) lock.lock();
      error_ = std::current_exception();
    }
    is_over_ = true;
    changed_.notify_all();
  });
}

void Transcription::close() {
  check_process();
  stop();
  const std::lock_guard lock(closing_);
  if (thread_.joinable()) thread_.join();
}

bool Transcription::is_here() const { return process_ == getpid(); }

void Transcription::check_process() const {
  if (is_here()) return;
  throw Error(ErrorCode::usage,
              "a transcription goes on in the process that began it alone, not in a fork of it");
}

void Transcription::run(std::unique_lock<std::mutex>& lock) {
  lock.unlock();
  LentSession session(*sessions_);
  Callbacks callbacks;
  callbacks.on_beginning = [this](const Beginning& beginning) { begin(beginning); };
  callbacks.on_segment = [this](const Segment& segment) { put(segment); };
  if (work_.tells_progress) {
    callbacks.on_progress = [this](double done_s, double total_s) {
      put(Progress{done_s, total_s});
    };
  }
  const auto stop = stop_.get_token();
  Transcript transcript =
      work_.text.empty()
          ? session.get().transcribe(work_.audio, work_.options, callbacks, stop)
          : session.get().align(work_.audio, work_.text, work_.options, callbacks, stop);
  lock.lock();
  warnings_ = std::move(transcript.warnings);
}

void Transcription::begin(const Beginning& beginning) {
  std::unique_lock lock(mutex_);
  beginning_ = beginning;
  changed_.notify_all();
  changed_.wait(lock, stop_.get_token(), [this] { return is_wanted_; });
}

void Transcription::put(Event&& event) {
  std::unique_lock lock(mutex_);
  const bool is_progress = std::holds_alternative<Progress>(event);
  if (is_progress && !events_.empty() && std::holds_alternative<Progress>(events_.back())) {
    events_.pop_back();
  }
  events_.push_back(std::move(event));
  changed_.notify_all();
  if (!is_progress) {
    changed_.wait(lock, stop_.get_token(), [this] { return events_.size() < kAhead; });
  }
}

template <typename Condition>
bool Transcription::wait(std::unique_lock<std::mutex>& lock, std::chrono::milliseconds limit,
                         const Condition& condition) {
  return changed_.wait_for(lock, limit, [&] { return is_over_ || condition(); });
}

std::optional<Beginning> Transcription::beginning(std::chrono::milliseconds limit) {
  check_process();
  std::unique_lock lock(mutex_);
  if (!wait(lock, limit, [this] { return beginning_.has_value(); })) return std::nullopt;
  if (beginning_) return beginning_;
  if (error_) std::rethrow_exception(error_);
  throw Error(ErrorCode::stopped, "stopped before anything was decoded");
}

std::optional<Event> Transcription::next(std::chrono::milliseconds limit) {
  check_process();
  std::unique_lock lock(mutex_);
  is_wanted_ = true;
  changed_.notify_all();
  if (!wait(lock, limit, [this] { return !events_.empty(); })) return std::nullopt;
  if (!events_.empty()) {
    Event event = std::move(events_.front());
    events_.pop_front();
    changed_.notify_all();
    return event;
  }
  if (error_) std::rethrow_exception(error_);
  return std::monostate();
}

std::vector<std::string> Transcription::warnings() {
  check_process();
  const std::lock_guard lock(mutex_);
  return warnings_;
}

}  // namespace wnpu::python
