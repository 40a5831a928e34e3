#include "app/batch/terminal.h"

#include <algorithm>
#include <charconv>
#include <clocale>
#include <cstdlib>
#include <cwchar>
#include <sys/ioctl.h>

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
  if (!locale.is_known()) return {lead < 0xE0 ? 2U : lead < 0xF0 ? 3U : 4U, 2};
  std::mbstate_t state{};
  wchar_t c = 0;
  const std::size_t bytes = std::mbrtowc(&c, text.data(), text.size(), &state);
  if (bytes > text.size()) return {};  // not valid, or cut
  return {bytes, turns_direction(c) ? -1 : ::wcwidth(c)};
}

}  // namespace

std::string printable(std::string_view text) {
  const Utf8Locale locale;
  const std::string valid = models::repair_utf8(text);
  std::string line;
  for (std::string_view rest = valid; !rest.empty();) {
    const Character c = first_character(rest, locale);
    if (c.columns < 0) {
      line += '?';
    } else {
      line += rest.substr(0, c.bytes);
    }
    rest.remove_prefix(c.bytes);
  }
  return line;
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

ColorVariables color_variables_of_process() {
  return {.term = std::getenv("TERM"),
          .no_color = std::getenv("NO_COLOR"),
          .clicolor_force = std::getenv("CLICOLOR_FORCE")};
}

bool wants_colors(Color asked, bool out_is_terminal, const ColorVariables& variables) {
  if (asked != Color::automatic) return asked == Color::always;
  const auto text = [](const char* value) { return std::string_view(value ? value : ""); };
  if (!text(variables.no_color).empty()) return false;
  const std::string_view force = text(variables.clicolor_force);
  if (!force.empty() && force != "0") return true;
  const std::string_view term = text(variables.term);
  return out_is_terminal && !term.empty() && term != "dumb";
}

std::size_t terminal_columns(int descriptor) {
  constexpr std::size_t kUsual = 80;
  winsize size{};
  if (::ioctl(descriptor, TIOCGWINSZ, &size) == 0 && size.ws_col > 0) return size.ws_col;
  const char* const said = std::getenv("COLUMNS");
  const std::string_view text = said == nullptr ? "" : said;
  std::size_t columns = 0;
  std::from_chars(text.data(), text.data() + text.size(), columns);
  return columns > 0 ? columns : kUsual;
}

}  // namespace wnpu::app
