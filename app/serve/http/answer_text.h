// Texts of HTTP/1.1: an answer's head, a piece of a body in chunks, a request's id.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/serve/http/exchange.h"

namespace wnpu::serve {

// Random, for log and client.
std::string new_request_id();

struct AnswerForm {
  bool is_http_1_0 = false;
  std::optional<std::size_t> length;  // of the body; none: it comes in chunks
  bool keeps_alive = false;
};
// With the empty line behind it.
std::string head_text(const Answer& answer, const AnswerForm& form);

std::string chunk_text(const std::string& text);
inline constexpr const char* kLastChunk = "0\r\n\r\n";

}  // namespace wnpu::serve
