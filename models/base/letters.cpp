#include "models/base/letters.h"

#include <clocale>
#include <cstdint>
#include <cwctype>
#include <locale.h>

namespace wnpu::models {
namespace {

locale_t unicode() {
  static const locale_t kLocale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return kLocale != nullptr ? kLocale : LC_GLOBAL_LOCALE;
}

}  // namespace

char32_t code_point(std::string_view character) {
  const auto lead = static_cast<unsigned char>(character.front());
  char32_t point = character.size() == 1 ? lead : lead & (0x7FU >> character.size());
  for (const char byte : character.substr(1))
    point = point << 6U | (static_cast<unsigned char>(byte) & 0x3FU);
  return point;
}

void append_code_point(char32_t point, std::string& text) {
  if (point < 0x80) {
    text += static_cast<char>(point);
    return;
  }
  const unsigned n_more = point < 0x800 ? 1 : point < 0x10000 ? 2 : 3;
  const std::uint32_t marks = 0xFF00U >> (n_more + 1) & 0xFFU;
  text += static_cast<char>(marks | point >> (6 * n_more));
  for (unsigned i = n_more; i-- > 0;) text += static_cast<char>(0x80U | (point >> (6 * i) & 0x3FU));
}

std::optional<char32_t> lower_letter(char32_t point) {
  const auto wide = static_cast<std::wint_t>(point);
  if (::iswalnum_l(wide, unicode()) == 0) return std::nullopt;
  return static_cast<char32_t>(::towlower_l(wide, unicode()));
}

}  // namespace wnpu::models
