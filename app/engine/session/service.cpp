#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <filesystem>
#include <limits>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "app/engine/audio_input.h"
#include "app/engine/error.h"
#include "app/engine/option_check.h"
#include "app/engine/session/listeners.h"
#include "app/engine/session/session_state.h"
#include "app/engine/whisper_npu_service.hpp"
#include "app/engine/windows/recording_loop.h"
#include "models/base/error.h"

namespace wnpu {

using app::RecordingWork;

struct __attribute__((visibility("hidden"))) Request::State {
  std::atomic<bool> is_cancelled{false};
  std::exception_ptr thrown;  // by a callback
};

void Request::cancel() {
  if (state_) state_->is_cancelled = true;
}

namespace {

// Every so many readings the request that has waited longest is read, however long it is.
constexpr std::size_t kReadingsOfShortest = 4;
// Bytes of a recording that is short, as WAV; compressed it may have some minutes.
constexpr std::uintmax_t kFewBytes = std::uintmax_t{512} << 10U;
// Requests that may be read and not done, for each window that is decoded: their log-mel is kept.
constexpr std::size_t kReadAhead = 4;

std::uintmax_t size_of(const audio::Input& input) {
  if (input.path.empty()) return input.memory.size();
  std::error_code error;
  const std::uintmax_t size = std::filesystem::file_size(input.path, error);
  return error ? std::numeric_limits<std::uintmax_t>::max() : size;
}

}  // namespace

// Readers turn requests into jobs with audio, of several the last one those of short recordings
// alone; one thread decodes them all.
struct __attribute__((visibility("hidden"))) Service::State {
  State(const Model& model, const ServiceOptions& of_service)
      : options(of_service),
        session(model, *model.state_, of_service.threads),
        loop(
            session.recognizer, {options.n_together, (options.n_together + 3) / 4},
            [this] { return is_ended.load(); },
            [this](Transcript& transcript) { session.describe(transcript, options.n_together); }) {
    session.recognizer.set_should_stop([this] { return is_ended.load(); });
    for (std::size_t i = 0; i < options.n_readers; ++i) {
      const bool is_of_short = i > 0 && i + 1 == options.n_readers;
      threads.emplace_back([this, is_of_short] { read(is_of_short); });
    }
    threads.emplace_back([this] { decode(); });
  }

  ~State() {
    {
      const std::scoped_lock lock(mutex);
      is_ended = true;
    }
    changed.notify_all();
    for (std::thread& each : threads) each.join();
  }

  void submit(std::unique_ptr<RecordingWork> work);
  ServiceLoad load();
  const Model& model() const { return session.model; }
  bool has_ended() const { return is_ended; }

 private:
  struct Unread {
    std::unique_ptr<RecordingWork> work;
    std::uintmax_t bytes = 0;
  };

  void read(bool is_of_short);
  std::unique_ptr<RecordingWork> next_unread(bool is_of_short);
  bool has_room() const { return n_read < kReadAhead * options.n_together; }
  // The next to be read, by a reader of short ones too; end: none may be.
  std::deque<Unread>::iterator next_place(bool is_of_short);
  void decode();
  std::unique_ptr<RecordingWork> take_ready();
  // Short requests that are read, and one that is long, so that those at work go on.
  void begin(std::unique_ptr<RecordingWork> next);
  void count();

  ServiceOptions options;
  Session::State session;
  app::RecordingLoop loop;  // the decoding thread's

  std::mutex mutex;  // guards what follows
  std::condition_variable changed;
  std::deque<Unread> unread;
  std::deque<std::unique_ptr<RecordingWork>> ready;
  std::size_t n_readers_left = options.n_readers;
  std::size_t n_readings = 0;
  std::size_t n_read = 0;  // requests that are being read, or were and are not done
  ServiceLoad known;
  std::atomic<bool> is_ended{false};
  std::vector<std::thread> threads;
};

void Service::State::submit(std::unique_ptr<RecordingWork> work) {
  const std::uintmax_t bytes = size_of(work->input);
  // A request that is done makes room for reading another.
  work->done = [this, done = std::move(work->done)](Transcript transcript,
                                                    const std::exception_ptr& failure) {
    done(std::move(transcript), failure);
    {
      const std::scoped_lock lock(mutex);
      --n_read;
    }
    changed.notify_all();
  };
  {
    const std::scoped_lock lock(mutex);
    unread.push_back({std::move(work), bytes});
  }
  changed.notify_all();
}

// Requests that are not wanted any more come first, then the shortest. One that keeps little in
// memory needs no room.
std::deque<Service::State::Unread>::iterator Service::State::next_place(bool is_of_short) {
  const auto left = std::ranges::find_if(
      unread, [](const Unread& each) { return each.work->callbacks.should_stop(); });
  if (left != unread.end() || unread.empty()) return left;
  const bool takes_long = has_room() && !is_of_short;
  if (takes_long && n_readings % kReadingsOfShortest == 0) return unread.begin();
  const auto shortest = std::ranges::min_element(unread, {}, &Unread::bytes);
  return takes_long || shortest->bytes <= kFewBytes ? shortest : unread.end();
}

std::unique_ptr<RecordingWork> Service::State::next_unread(bool is_of_short) {
  std::unique_lock lock(mutex);
  auto next = unread.end();
  changed.wait(lock, [&] { return (next = next_place(is_of_short)) != unread.end() || is_ended; });
  if (next == unread.end()) return nullptr;
  auto work = std::move(next->work);
  unread.erase(next);
  ++n_read;
  ++n_readings;
  return work;
}

void Service::State::read(bool is_of_short) {
  app::ListenerSet listeners;
  while (auto work = next_unread(is_of_short)) {
    try {
      if (work->callbacks.should_stop()) throw models::Stopped();
      work->read(session.recognizer, listeners.load(work->options, session.threads));
    } catch (...) {
      end_failed(*work);
      continue;
    }
    {
      const std::scoped_lock lock(mutex);
      ready.push_back(std::move(work));
    }
    changed.notify_all();
  }
  {
    const std::scoped_lock lock(mutex);
    --n_readers_left;
  }
  changed.notify_all();
}

// Waits where nothing is at work; null: nothing was read meanwhile.
std::unique_ptr<RecordingWork> Service::State::take_ready() {
  std::unique_lock lock(mutex);
  changed.wait(lock, [&] { return !ready.empty() || !loop.is_empty() || n_readers_left == 0; });
  if (ready.empty()) return nullptr;
  const auto is_short = [](const auto& work) { return work->job->is_short(); };
  auto next = std::ranges::find_if(ready, is_short);
  if (next == ready.end()) next = ready.begin();
  auto work = std::move(*next);
  ready.erase(next);
  return work;
}

void Service::State::decode() {
  for (;;) {
    const bool was_empty = loop.is_empty();
    auto next = take_ready();
    if (!next && loop.is_empty()) return;  // at the service's end
    try {
      if (was_empty) session.recognizer.encoder().begin_file(options.n_together);
      begin(std::move(next));
      loop.turn();
    } catch (const models::Stopped&) {
      loop.stop();
    } catch (...) {  // a device: all that is at work depends on it
      loop.fail_all();
    }
    count();
  }
}

void Service::State::begin(std::unique_ptr<RecordingWork> next) {
  while (next) {
    const bool is_short = next->job->is_short();
    loop.add(std::move(next), [](const RecordingWork&) {});
    if (is_short) next = take_ready();
  }
}

void Service::State::count() {
  ServiceLoad now{.n_steps = loop.steps().n, .n_windows_in_steps = loop.steps().n_windows};
  for (const app::TranscriptionJob* const job : loop.jobs()) {
    ++(job->turns().n == 0 ? now.n_waiting : now.n_at_work);
    now.n_decoding += job->count(app::ActiveClip::Stage::decoding);
    now.waiting_s += job->remaining_s();
  }
  const std::scoped_lock lock(mutex);
  known = now;
}

ServiceLoad Service::State::load() {
  const std::scoped_lock lock(mutex);
  ServiceLoad now = known;
  now.n_waiting += unread.size() + ready.size();
  return now;
}

Service::Service(const Model& model, const ServiceOptions& options)
    : state_(app::with_errors(model.info().name, [&] {
        app::check_service(options);
        return std::make_unique<State>(model, options);
      })) {}
Service::~Service() = default;
Service::Service(Service&&) noexcept = default;
Service& Service::operator=(Service&&) noexcept = default;

namespace {

// A callback whose exceptions end its request, not the service.
template <typename Argument>
std::function<void(const Argument&)> guarded(std::function<void(const Argument&)> callback,
                                             std::shared_ptr<Request::State> state) {
  if (!callback) return {};
  return [callback = std::move(callback), state = std::move(state)](const Argument& argument) {
    try {
      callback(argument);
    } catch (...) {
      state->thrown = std::current_exception();
      state->is_cancelled = true;
    }
  };
}

}  // namespace

Request Service::submit(const Audio& audio, const TranscribeOptions& options,
                        RequestCallbacks callbacks) {
  state_->model().check(options);
  app::check_audio(audio);
  const auto state = std::make_shared<Request::State>();
  auto work = std::make_unique<RecordingWork>();
  work->name = app::name_of(audio);
  work->options = options;
  work->input = app::with_errors(work->name, [&] { return app::input_of(audio); });
  work->callbacks.on_beginning = guarded(std::move(callbacks.on_beginning), state);
  work->callbacks.on_segment = guarded(std::move(callbacks.on_segment), state);
  work->callbacks.should_stop = [state, service = state_.get()] {
    return state->is_cancelled || service->has_ended();
  };
  work->done = [state, done = std::move(callbacks.done)](Transcript transcript,
                                                         const std::exception_ptr& failure) {
    done(std::move(transcript), state->thrown ? state->thrown : failure);
  };
  state_->submit(std::move(work));
  return Request(state);
}

ServiceLoad Service::load() const { return state_->load(); }

}  // namespace wnpu
