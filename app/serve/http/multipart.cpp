#include "app/serve/http/multipart.h"

#include <algorithm>
#include <cctype>
#include <optional>

#include "models/base/utf8.h"

namespace wnpu::serve {
namespace {

constexpr std::size_t kMostBoundary = 70;  // RFC 2046
constexpr std::string_view kLineEnd = "\r\n";

bool is_equal(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) ==
           std::tolower(static_cast<unsigned char>(y));
  });
}

bool is_blank(char byte) { return byte == ' ' || byte == '\t'; }

std::string_view trimmed(std::string_view text) {
  while (!text.empty() && is_blank(text.front())) text.remove_prefix(1);
  while (!text.empty() && is_blank(text.back())) text.remove_suffix(1);
  return text;
}

bool is_boundary(std::string_view text) {
  constexpr std::string_view kMarks = "'()+_,-./:=? ";
  return !text.empty() && text.size() <= kMostBoundary && text.back() != ' ' &&
         std::ranges::all_of(text, [&](char byte) {
           return std::isalnum(static_cast<unsigned char>(byte)) != 0 ||
                  kMarks.find(byte) != std::string_view::npos;
         });
}

// The value of a parameter at the front of `text`, quoted or not, which is taken away from there.
std::optional<std::string> take_value(std::string_view& text) {
  std::string value;
  if (text.empty() || text.front() != '"') {
    const std::size_t end = std::min(text.find(';'), text.size());
    value = trimmed(text.substr(0, end));
    text.remove_prefix(end);
    return value;
  }
  for (std::size_t i = 1; i < text.size(); ++i) {
    const bool is_escape =
        text[i] == '\\' && i + 1 < text.size() && (text[i + 1] == '"' || text[i + 1] == '\\');
    if (text[i] == '"') {
      text.remove_prefix(i + 1);
      return value;
    }
    if (is_escape) ++i;
    value += text[i];
  }
  return std::nullopt;
}

// The parameter of a header's value ("form-data; name=\"file\""); none: it is not there, or the
// value has another form.
std::optional<std::string> parameter(std::string_view text, std::string_view name) {
  std::optional<std::string> found;
  text.remove_prefix(std::min(text.find(';'), text.size()));
  while (!text.empty()) {
    if (text.front() != ';') return std::nullopt;
    text = trimmed(text.substr(1));
    const std::size_t equals = text.find('=');
    if (equals == std::string_view::npos) break;
    const std::string_view key = trimmed(text.substr(0, equals));
    text = trimmed(text.substr(equals + 1));
    const auto value = take_value(text);
    if (!value) return std::nullopt;
    if (!found && is_equal(key, name)) found = value;
    text = trimmed(text);
  }
  return found;
}

bool has_type(std::string_view text, std::string_view type) {
  return is_equal(trimmed(text.substr(0, std::min(text.find(';'), text.size()))), type);
}

std::vector<std::size_t> failures_of(std::string_view word) {
  std::vector<std::size_t> failures(word.size() + 1, 0);
  for (std::size_t i = 1, k = 0; i < word.size(); ++i) {
    while (k > 0 && word[i] != word[k]) k = failures[k];
    if (word[i] == word[k]) ++k;
    failures[i + 1] = k;
  }
  return failures;
}

PartHead head_of(std::string_view lines) {
  PartHead head;
  while (!lines.empty()) {
    const std::size_t end = lines.find(kLineEnd);
    const std::string_view line = lines.substr(0, end);
    lines.remove_prefix(end + kLineEnd.size());
    const std::size_t colon = line.find(':');
    if (colon == std::string_view::npos || colon == 0) {
      throw MultipartError("body: expected NAME: VALUE in the header of a part");
    }
    if (!is_equal(line.substr(0, colon), "content-disposition")) continue;
    const std::string_view value = line.substr(colon + 1);
    if (!has_type(value, "form-data")) continue;
    head.name = models::repair_utf8(parameter(value, "name").value_or(""));
    head.filename = models::repair_utf8(parameter(value, "filename").value_or(""));
  }
  if (head.name.empty()) {
    throw MultipartError("body: expected Content-Disposition: form-data with a name in each part");
  }
  return head;
}

}  // namespace

std::string boundary_of(std::string_view content_type) {
  if (!has_type(content_type, "multipart/form-data")) return "";
  const std::string boundary = parameter(content_type, "boundary").value_or("");
  return is_boundary(boundary) ? boundary : "";
}

MultipartParser::MultipartParser(const std::string& boundary, PartTaker& taker)
    : taker_(taker),
      delimiter_(std::string(kLineEnd) + "--" + boundary),
      failures_(failures_of(delimiter_)) {}

void MultipartParser::take(std::string_view bytes) {
  while (!bytes.empty()) {
    if (state_ == State::epilogue) return;
    if (state_ == State::preamble || state_ == State::body) {
      bytes.remove_prefix(take_text(bytes));
      continue;
    }
    if (state_ == State::head) {
      take_head(bytes.front());
    } else {
      take_behind_boundary(bytes.front());
    }
    bytes.remove_prefix(1);
  }
}

void MultipartParser::finish() const {
  if (state_ == State::epilogue) return;
  throw MultipartError(n_parts_ == 0 && state_ == State::preamble
                           ? "body: expected the boundary of Content-Type, found none"
                           : "body: expected a last boundary, found the end: it was cut short");
}

std::size_t MultipartParser::take_text(std::string_view bytes) {
  std::size_t i = 0;
  while (i < bytes.size() && matched_ < delimiter_.size()) {
    if (matched_ == 0) {
      const std::size_t end = std::min(bytes.find(delimiter_.front(), i), bytes.size());
      hand_over(bytes.substr(i, end - i));
      i = end;
      if (i == bytes.size()) break;
    }
    if (bytes[i] == delimiter_[matched_]) {
      ++matched_;
      ++i;
    } else {
      const std::size_t shorter = failures_[matched_];
      hand_over(std::string_view(delimiter_).substr(0, matched_ - shorter));
      matched_ = shorter;
    }
  }
  if (matched_ == delimiter_.size()) end_boundary();
  return i;
}

void MultipartParser::hand_over(std::string_view bytes) {
  if (state_ == State::body && !bytes.empty()) taker_.take_part(bytes);
}

void MultipartParser::end_boundary() {
  if (state_ == State::body) taker_.end_part();
  state_ = State::behind_boundary;
  matched_ = 0;
  line_.clear();
}

// "--" is the last boundary's; else spaces may stand before the line's end.
void MultipartParser::take_behind_boundary(char byte) {
  line_ += byte;
  if (line_ == "--") {
    state_ = State::epilogue;
  } else if (line_.ends_with(kLineEnd)) {
    state_ = State::head;
    line_.clear();
  } else if (line_ != "-" && !is_blank(byte) && byte != '\r') {
    throw MultipartError("body: expected a line's end behind a boundary");
  } else if (line_.size() > kMostPartHead) {
    throw MultipartError("body: expected a line's end behind a boundary, found too many spaces");
  }
}

void MultipartParser::take_head(char byte) {
  line_ += byte;
  if (line_.size() > kMostPartHead) {
    throw MultipartError("body: expected at most " + std::to_string(kMostPartHead) +
                         " bytes of header in a part, found more");
  }
  if (line_ != kLineEnd && !line_.ends_with("\r\n\r\n")) return;
  begin_part();
}

void MultipartParser::begin_part() {
  if (++n_parts_ > kMostParts) {
    throw MultipartError("body: expected at most " + std::to_string(kMostParts) +
                         " parts, found more");
  }
  const PartHead head = head_of(std::string_view(line_).substr(0, line_.size() - kLineEnd.size()));
  line_.clear();
  state_ = State::body;
  taker_.begin_part(head);
}

}  // namespace wnpu::serve
