#include "bench/input/text_normalizer.h"

#include <stdexcept>
#include <utility>

#include <nlohmann/json.hpp>

#include "bench/core/peers_environment.h"

namespace wnpu::bench {

std::vector<std::string> normalizer_command() {
  return {peers_python(""), bench_script("normalize.py").string()};
}

TextNormalizer::TextNormalizer(std::vector<std::string> command) : process_(std::move(command)) {}

std::string TextNormalizer::operator()(const std::string& text, const std::string& language) {
  using nlohmann::json;
  const json question = {{"language", language}, {"text", text}};
  const std::string answer =
      process_.ask(question.dump(-1, ' ', true, json::error_handler_t::replace));
  const json parsed = json::parse(answer, nullptr, false);
  if (!parsed.is_object() || !parsed.value("text", json()).is_string()) {
    const bool has_words = parsed.is_object() && parsed.value("error", json()).is_string();
    throw std::runtime_error(process_.program() + ": " +
                             (has_words ? parsed["error"].get<std::string>()
                                        : "expected a text in JSON, found " + answer));
  }
  return parsed["text"];
}

}  // namespace wnpu::bench
