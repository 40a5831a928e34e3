#include "app/engine/c/status.h"

#include <algorithm>
#include <array>

#include "models/base/utf8.h"

namespace wnpu::c {
namespace {

thread_local std::array<char, 2048> last_error{};

void keep(std::string_view text) noexcept {
  // At the start of a character.
  std::size_t n = std::min(text.size(), last_error.size() - 1);
  while (n > 0 && n < text.size() && !models::begins_character(text[n])) --n;
  std::copy_n(text.data(), n, last_error.data());
  last_error[n] = '\0';
}

}  // namespace

const char* error_text() noexcept { return last_error.data(); }

whisper_npu_status fail(ErrorCode code, std::string_view text) noexcept {
  try {
    keep(models::repair_utf8(text));
  } catch (const std::exception&) {
    keep("not enough memory to say why");
  }
  return static_cast<whisper_npu_status>(code);
}

}  // namespace wnpu::c
