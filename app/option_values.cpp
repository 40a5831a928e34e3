#include "app/option_values.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "models/vocabulary.h"

namespace wnpu::app {
namespace {

double parse_number(const std::string& name, const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(number)) {
    throw CLI::ValidationError(name, "expected a number, found " + text);
  }
  return number;
}

std::vector<std::string> split(const std::string& text) { return CLI::detail::split(text, ','); }

}  // namespace

std::vector<std::string> with_dashes(std::span<const char* const> arguments) {
  std::vector<std::string> result(arguments.begin(), arguments.end());
  for (std::string& argument : result) {
    if (argument == "--") break;
    if (!argument.starts_with("--")) continue;
    const std::size_t name_end = std::min(argument.find('='), argument.size());
    std::replace(argument.begin(), argument.begin() + static_cast<std::ptrdiff_t>(name_end), '_',
                 '-');
  }
  return result;
}

CLI::Validator one_of(std::vector<std::string> names) {
  return CLI::IsMember(std::move(names)).description("");
}

void add_number_or_none(CLI::App& app, const std::string& name, std::optional<double>& target,
                        const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name](const std::string& text) {
           target = text == "None" ? std::nullopt : std::optional<double>(parse_number(name, text));
         },
         help)
      ->type_name("NUMBER|None")
      ->default_str(target ? CLI::detail::to_string(*target) : "None");
}

void add_bool(CLI::App& app, const std::string& name, bool& target, const std::string& help) {
  app.add_option_function<std::string>(
         name, [&target](const std::string& text) { target = text == "True" || text == "true"; },
         help)
      ->check(one_of({"True", "False", "true", "false"}))
      ->type_name("True|False")
      ->default_str(target ? "True" : "False");
}

std::string language_code(const std::string& text) {
  if (text == "auto" || text == "None") return "";
  const auto code = models::find_language(text);
  if (!code) throw CLI::ValidationError("--language", text + " is no language Whisper knows");
  return std::string(*code);
}

std::vector<models::TokenId> parse_tokens(const std::string& text) {
  std::vector<models::TokenId> tokens;
  for (const std::string& field : split(text)) {
    if (!CLI::detail::lexical_cast(field, tokens.emplace_back())) {
      throw CLI::ValidationError("--suppress-tokens", "expected token ids, found " + text);
    }
  }
  return tokens;
}

std::vector<double> parse_clips(const std::string& text) {
  const std::string name = "--clip-timestamps";
  std::vector<double> clips;
  for (const std::string& field : split(text)) {
    clips.push_back(parse_number(name, field));
    if (clips.back() < 0 || (clips.size() > 1 && clips.back() < clips.end()[-2])) {
      throw CLI::ValidationError(name, "expected growing seconds, found " + text);
    }
  }
  return clips;
}

void add_number(CLI::App& app, const std::string& name, double& target,
                std::pair<double, double> range, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target = parse_number(name, text);
           if (target < range.first || target > range.second) {
             throw CLI::ValidationError(name, "expected " + CLI::detail::to_string(range.first) +
                                                  " to " + CLI::detail::to_string(range.second) +
                                                  ", found " + text);
           }
         },
         help)
      ->type_name("NUMBER")
      ->default_str(CLI::detail::to_string(target));
}

void add_count(CLI::App& app, const std::string& name, std::size_t& target,
               const std::string& help) {
  app.add_option(name, target, help)
      ->check(CLI::Range(1, 64).description(""))
      ->capture_default_str();
}

}  // namespace wnpu::app
