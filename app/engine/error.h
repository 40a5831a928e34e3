// From the errors of the folders below to the engine's one.
#pragma once

#include <exception>

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

}  // namespace wnpu::app
