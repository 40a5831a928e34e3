#include "app/system/terminal.h"

#include <charconv>
#include <cstdlib>
#include <string_view>
#include <sys/ioctl.h>

namespace wnpu::app {
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
