#include "app/serve/http/answer_text.h"

#include <boost/beast/http/status.hpp>
#include <random>
#include <sstream>
#include <string_view>

namespace wnpu::serve {
namespace {

void add_header(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(": ").append(value).append("\r\n");
}

}  // namespace

std::string new_request_id() {
  static std::random_device random;
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string id = "req_";
  for (int i = 0; i < 4; ++i) {
    std::uint32_t number = random();
    for (int digit = 0; digit < 8; ++digit, number >>= 4U) id += kDigits[number & 15U];
  }
  return id;
}

std::string head_text(const Answer& answer, const AnswerForm& form) {
  const auto reason =
      boost::beast::http::obsolete_reason(boost::beast::http::int_to_status(answer.status));
  std::string text = form.is_http_1_0 ? "HTTP/1.0 " : "HTTP/1.1 ";
  text += std::to_string(answer.status) + " ";
  text.append(reason.data(), reason.size()).append("\r\n");
  add_header(text, "Server", "whisper-npu");
  const bool has_body = answer.status != 204;
  if (has_body) add_header(text, "Content-Type", answer.type);
  for (const auto& [name, value] : answer.headers) add_header(text, name, value);
  if (has_body && form.length) {
    add_header(text, "Content-Length", std::to_string(*form.length));
  } else if (has_body && !form.is_http_1_0) {
    add_header(text, "Transfer-Encoding", "chunked");
  }
  if (!form.keeps_alive) {
    add_header(text, "Connection", "close");
  } else if (form.is_http_1_0) {
    add_header(text, "Connection", "keep-alive");
  }
  return text + "\r\n";
}

std::string chunk_text(const std::string& text) {
  std::ostringstream chunk;
  chunk << std::hex << text.size() << "\r\n" << text << "\r\n";
  return std::move(chunk).str();
}

}  // namespace wnpu::serve
