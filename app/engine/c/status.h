// Errors at the border to C: no exception crosses it.
#pragma once

#include <exception>
#include <string>
#include <string_view>

#include "app/engine/error.h"
#include "app/engine/whisper_npu.h"

namespace wnpu::c {

// Message of this thread's last failed call; "" before the first.
const char* error_text() noexcept;
// Keeps the text, as UTF-8 and cut where it is very long. Returns the status.
whisper_npu_status fail(ErrorCode code, std::string_view text) noexcept;

// f(), with its exception as a status.
template <typename F>
whisper_npu_status guarded(const F& f) noexcept {
  try {
    f();
    return WHISPER_NPU_OK;
  } catch (const std::exception& error) {
    const ErrorCode code = app::error_code(error);
    return fail(code, error.what());
  } catch (...) {
    return fail(ErrorCode::internal, "an exception of unknown type, perhaps of a callback");
  }
}

// Throws Error(usage) for NULL.
inline void expect(const void* pointer, const char* name) {
  if (pointer == nullptr) {
    throw Error(ErrorCode::usage, std::string(name) + ": expected a pointer, found NULL");
  }
}

}  // namespace wnpu::c
