#include "app/formats/shown_text.h"

#include <algorithm>
#include <clocale>
#include <cwchar>
#include <cwctype>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

// The C library's tables of characters, whatever the user's locale is, for this thread and scope.
class Utf8Locale {
 public:
  Utf8Locale() : locale_(::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr)) {
    if (is_known()) before_ = ::uselocale(locale_);
  }
  ~Utf8Locale() {
    if (!is_known()) return;
    ::uselocale(before_);
    ::freelocale(locale_);
  }
  Utf8Locale(const Utf8Locale&) = delete;
  Utf8Locale& operator=(const Utf8Locale&) = delete;

  bool is_known() const { return locale_ != nullptr; }

 private:
  locale_t locale_;
  locale_t before_ = nullptr;
};

struct Character {
  std::size_t bytes = 1;
  int columns = -1;  // -1: not to be printed
  bool turns_direction = false;
};

// Unicode's explicit directional formatting (UAX 9): a name could show as another.
bool turns_direction(wchar_t c) {
  return (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
}

// The character that valid UTF-8 begins with. Without the tables each one beyond ASCII counts as
// wide, so that nothing is ever too long.
Character first_character(std::string_view text, const Utf8Locale& locale) {
  const auto lead = static_cast<unsigned char>(text.front());
  if (lead < 0x80) return {1, lead < 0x20 || lead == 0x7F ? -1 : 1};
  const bool is_control =
      lead == 0xC2 && text.size() > 1 && static_cast<unsigned char>(text[1]) < 0xA0;
  if (is_control) return {2, -1};
  if (!locale.is_known()) return {lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U, 2};
  std::mbstate_t state{};
  wchar_t c = 0;
  const std::size_t bytes = std::mbrtowc(&c, text.data(), text.size(), &state);
  if (bytes > text.size()) return {};  // not valid, or cut
  if (turns_direction(c)) return {bytes, -1, true};
  const int columns = ::wcwidth(c);
  // The tables may be older than a character.
  return {bytes, columns < 0 && std::iswcntrl(static_cast<wint_t>(c)) == 0 ? 2 : columns};
}

std::string shown(std::string_view text, bool is_one_line) {
  const Utf8Locale locale;
  const std::string valid = models::repair_utf8(text);
  std::string result;
  for (std::string_view rest = valid; !rest.empty();) {
    const Character c = first_character(rest, locale);
    const bool is_kept = !is_one_line && (rest.front() == '\n' || rest.front() == '\t');
    if (c.columns >= 0 || is_kept) {
      result += rest.substr(0, c.bytes);
    } else if (is_one_line || !c.turns_direction) {
      result += '?';
    }
    rest.remove_prefix(c.bytes);
  }
  return result;
}

std::string without_colors(std::string_view text) {
  std::string rest;
  while (true) {
    const std::size_t code = std::min(text.find("\x1b["), text.size());
    rest += text.substr(0, code);
    const std::size_t end = text.find('m', code);
    if (end == std::string_view::npos) return rest;
    text.remove_prefix(end + 1);
  }
}

}  // namespace

std::string printable(std::string_view text) { return shown(text, true); }

std::string printable_lines(std::string_view text) { return shown(text, false); }

std::string broken_at_words(std::string_view text, std::size_t columns) {
  if (columns == 0) return std::string(text);
  std::string result;
  std::size_t width = 0;  // of the last line
  for (char before = '\0';;) {
    const std::size_t end = std::min(text.find_first_of(" \n"), text.size());
    const std::size_t more = width_of(without_colors(text.substr(0, end)));
    if (before == ' ' && width > 0 && width + 1 + more > columns) before = '\n';
    if (before != '\0') result += before;
    width = before == ' ' ? width + 1 + more : more;
    result += text.substr(0, end);
    if (end == text.size()) return result;
    before = text[end];
    text.remove_prefix(end + 1);
  }
}

std::size_t width_of(std::string_view text) {
  const Utf8Locale locale;
  std::size_t width = 0;
  while (!text.empty()) {
    const Character c = first_character(text, locale);
    width += static_cast<std::size_t>(std::max(c.columns, 0));
    text.remove_prefix(c.bytes);
  }
  return width;
}

std::string_view first_columns(std::string_view text, std::size_t columns) {
  const Utf8Locale locale;
  std::size_t width = 0;
  std::size_t end = 0;
  while (end < text.size()) {
    const Character c = first_character(text.substr(end), locale);
    width += static_cast<std::size_t>(std::max(c.columns, 0));
    if (width > columns) break;
    end += c.bytes;
  }
  return text.substr(0, end);
}

}  // namespace wnpu::app
