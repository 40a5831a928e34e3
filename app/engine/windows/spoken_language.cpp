#include "app/engine/windows/spoken_language.h"

#include <iomanip>
#include <sstream>

#include "models/text/vocabulary.h"

namespace wnpu::app {

std::string_view language_name(std::string_view code) {
  for (const models::Language& language : models::all_languages()) {
    if (language.code == code) return language.name;
  }
  return {};
}

std::string two_digits(double value) {
  std::ostringstream text;
  text << std::fixed << std::setprecision(2) << value;
  return text.str();
}

std::string described(const LanguageProbs& probs) {
  const auto& [code, probability] = probs.front();
  std::string text(language_name(code));
  if (!text.empty()) text[0] = static_cast<char>(text[0] - 'a' + 'A');
  return text + " (" + code + "), probability " + two_digits(probability);
}

}  // namespace wnpu::app
