#include "app/formats/markup.h"

namespace wnpu::app {

std::string escaped_markup(std::string_view text) {
  std::string result;
  for (const char c : text) {
    switch (c) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      case '"':
        result += "&quot;";
        break;
      default:
        result.push_back(c);
    }
  }
  return result;
}

}  // namespace wnpu::app
