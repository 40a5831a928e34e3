// From the errors of the folders below to the engine's one.
#pragma once

#include <atomic>
#include <exception>
#include <functional>
#include <memory>
#include <mutex>
#include <stop_token>
#include <type_traits>
#include <utility>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// The class of an error that work here ends with; internal for all that no class is known of.
ErrorCode error_code(const std::exception& error);

// Throws the exception at hand: as Error where its class is known, else as it is. `subject` goes
// into the message of std::bad_alloc, which has none of its own.
[[noreturn]] void rethrow_as_error(const std::string& subject);

// f(), with such errors.
template <typename F>
auto with_errors(const std::string& subject, const F& f) {
  try {
    return f();
  } catch (...) {
    rethrow_as_error(subject);
  }
}

// The two ways to stop a call, its should_stop and its stop token, as one question for all threads.
// Once the answer was yes it stays so. What should_stop throws is such an answer, and is kept:
// where it is asked from nothing may be thrown (libraries' callbacks).
class StopQuestion {
 public:
  StopQuestion(std::function<bool()> should_stop, std::stop_token stop)
      : should_stop_(std::move(should_stop)), stop_(std::move(stop)) {}

  // Whether there is anybody to ask.
  bool has_answer() const { return should_stop_ || stop_.stop_possible(); }
  bool ask() noexcept;
  // Throws what should_stop has thrown, if it has.
  void rethrow() const;

 private:
  std::function<bool()> should_stop_;
  std::stop_token stop_;
  std::atomic<bool> is_stopped_{false};
  mutable std::mutex mutex_;
  std::exception_ptr thrown_;
};

// work(callbacks), whose should_stop also asks `stop` and does not throw; what the caller's throws
// is thrown here, once the work has ended.
template <typename AnyCallbacks, typename F>
auto with_stop(const AnyCallbacks& callbacks, const std::stop_token& stop, const F& work) {
  const auto question = std::make_shared<StopQuestion>(callbacks.should_stop, stop);
  AnyCallbacks asking = callbacks;
  if (question->has_answer()) asking.should_stop = [question] { return question->ask(); };
  try {
    if constexpr (std::is_void_v<decltype(work(asking))>) {
      work(asking);
      question->rethrow();
    } else {
      auto result = work(asking);
      question->rethrow();
      return result;
    }
  } catch (...) {
    question->rethrow();
    throw;
  }
}

}  // namespace wnpu::app
