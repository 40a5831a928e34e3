#include "app/options/option_values.h"

#include <algorithm>
#include <charconv>
#include <stdexcept>

#include "app/options/config_file.h"
#include "models/base/closest_name.h"
#include "models/text/vocabulary.h"
#include "npu/design/target.h"

namespace wnpu::app {
namespace {

// The whole of `text` as a number in decimal; none where it is anything else.
template <typename Number>
std::optional<Number> read_number(const std::string& text) {
  Number number = 0;
  const char* const end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end) return std::nullopt;
  return number;
}

// Bytes in "", "K" and "KiB" (1024), "KB" (1000) and so on; 0: no such unit.
std::uint64_t size_of_unit(std::string_view unit) {
  if (unit.empty()) return 1;
  const std::size_t power = std::string_view("KMGT").find(unit.front()) + 1;
  const bool is_decimal = unit.substr(1) == "B";
  if (power == 0 || (unit.size() > 1 && unit.substr(1) != "iB" && !is_decimal)) return 0;
  std::uint64_t size = 1;
  for (std::size_t i = 0; i < power; ++i) size *= is_decimal ? 1000 : 1024;
  return size;
}

// The fields of a list, which may be empty, without spaces around them (Python's int and float
// take those).
std::vector<std::string> split(const std::string& text) {
  if (text.empty()) return {};
  std::vector<std::string> fields = CLI::detail::split(text, ',');
  for (std::string& field : fields) CLI::detail::trim(field);
  return fields;
}

// Canonical form of a boolean. Only --verbose takes None, which means the same as False there.
std::string boolean_form(const std::string& text, bool takes_no_value) {
  const std::string lower = CLI::detail::to_lower(text);
  if (lower == "true") return "True";
  return lower == "false" || (takes_no_value && lower == "none") ? "False" : text;
}

}  // namespace

void add_group(CLI::App& app, const std::string& heading, const std::function<void()>& add) {
  const std::vector<CLI::Option*> before = app.get_options();
  add();
  for (CLI::Option* option : app.get_options()) {
    if (std::ranges::find(before, option) == before.end()) option->group(heading);
  }
}

CLI::Validator one_of(std::vector<std::string> names, Case letters) {
  const auto check = [names = std::move(names), letters](const std::string& text) -> std::string {
    const auto is_text = [&](const std::string& name) {
      return letters == Case::matters ? name == text
                                      : CLI::detail::to_lower(name) == CLI::detail::to_lower(text);
    };
    const auto found = std::ranges::find_if(names, is_text);
    if (found == names.end()) {
      return "expected one of " + CLI::detail::join(names, ", ") + ", found " + text;
    }
    return "";
  };
  return {check, ""};
}

bool takes_value(const CLI::Option& option) { return option.get_items_expected_max() > 0; }

bool may_go_without_value(const CLI::Option& option) {
  return option.get_type_name().starts_with('[');
}

bool takes_files(const CLI::App& command) {
  return std::ranges::any_of(command.get_options(),
                             [](const CLI::Option* option) { return option->get_positional(); });
}

OptionKind kind_of(const CLI::Option& option) {
  const std::string type = option.get_type_name();
  if (!takes_value(option) || type.find("True|False") != std::string::npos) {
    return OptionKind::boolean;
  }
  if (type == "N" || type == "N|None") return OptionKind::integer;
  return type.starts_with("NUMBER") ? OptionKind::number : OptionKind::text;
}

bool takes_none(const CLI::Option& option) { return option.get_type_name().ends_with("|None"); }

std::string usual_form(const CLI::Option& option, const std::string& text) {
  switch (kind_of(option)) {
    case OptionKind::boolean:
      return boolean_form(text, option.get_items_expected_min() == 0);
    case OptionKind::integer:
      if (const auto integer = integer_of_text(text)) return std::to_string(*integer);
      return text;
    case OptionKind::number:
      if (const auto number = number_of_text(text)) return toml_number(*number);
      return text;
    case OptionKind::text:
      break;
  }
  return text;
}

std::string with_dashes(std::string name) {
  std::ranges::replace(name, '_', '-');
  return name;
}

bool is_true(const std::string& text) { return CLI::detail::to_lower(text) == "true"; }

CLI::Option* add_bool(CLI::App& app, const std::string& name, std::function<void(bool)> set,
                      const std::string& help) {
  return app
      .add_option_function<std::string>(
          name, [set = std::move(set)](const std::string& text) { set(is_true(text)); }, help)
      ->check(one_of({"True", "False"}, Case::ignored))
      ->type_name("[True|False]");
}

void add_bool(CLI::App& app, const std::string& name, bool& target, const std::string& help) {
  add_bool(
      app, name, [&target](bool value) { target = value; }, help)
      ->default_str(target ? "True" : "False");
}

std::optional<double> number_of_text(const std::string& text) { return read_number<double>(text); }
std::optional<std::uint64_t> integer_of_text(const std::string& text) {
  return read_number<std::uint64_t>(text);
}

double parse_number(const std::string& name, const std::string& text, const NumberRange& range) {
  if (text == "None" && range.none) return *range.none;
  const auto number = number_of_text(text);
  const auto& [values, none] = range;
  if (number && values.contains(*number)) return *number;
  throw CLI::ValidationError(name, "expected a number from " +
                                       CLI::detail::to_string(values.first) + " to " +
                                       CLI::detail::to_string(values.last) + ", found " + text);
}

std::uint64_t parse_integer(const std::string& name, const std::string& text,
                            const IntegerRange& range) {
  if (text == "None" && range.none) return *range.none;
  const auto number = integer_of_text(text);
  const auto& [values, none] = range;
  if (number && values.contains(*number)) return *number;
  throw CLI::ValidationError(name, "expected a whole number from " + std::to_string(values.first) +
                                       " to " + std::to_string(values.last) + ", found " + text);
}

std::uint64_t parse_size(const std::string& name, const std::string& text) {
  const std::size_t n_digits = std::min(text.find_first_not_of("0123456789"), text.size());
  const auto number = read_number<std::uint64_t>(text.substr(0, n_digits));
  const std::uint64_t unit = size_of_unit(text.substr(n_digits));
  if (number && *number > 0 && unit > 0 && *number <= (std::uint64_t{1} << 62U) / unit) {
    return *number * unit;
  }
  throw CLI::ValidationError(name,
                             "expected bytes from 1 to 2^62, as 1048576, 1024K, 1M, 2GiB or 500MB, "
                             "found " +
                                 text);
}

void add_size(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& target,
              const std::string& help) {
  app.add_option_function<std::string>(
         name, [&target, name](const std::string& text) { target = parse_size(name, text); }, help)
      ->type_name("SIZE");
}

void add_number(CLI::App& app, const std::string& name, double& target, const NumberRange& range,
                const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target = parse_number(name, text, range);
         },
         help)
      ->type_name(range.none ? "NUMBER|None" : "NUMBER")
      ->default_str(CLI::detail::to_string(target));
}

std::vector<std::string_view> with_auto(std::span<const std::string_view> names) {
  std::vector<std::string_view> all = {"auto"};
  all.insert(all.end(), names.begin(), names.end());
  return all;
}

void add_choice(CLI::App& app, const std::string& name, const Choice& choice,
                const std::function<void(const std::string&)>& take, const std::string& help) {
  app.add_option_function<std::string>(name, take, help)
      ->check(one_of({choice.names.begin(), choice.names.end()}))
      ->type_name(CLI::detail::join(choice.names, "|"))
      ->default_str(std::string(choice.default_name));
}

void add_name(CLI::App& app, const std::string& name, std::span<const std::string_view> names,
              std::string& target, const std::string& help) {
  add_choice(
      app, name, {{names.begin(), names.end()}, target},
      [&target](const std::string& given) { target = given; }, help);
}

void add_preset(CLI::App& app, std::string& target, const std::string& help) {
  const auto check = [](const std::string& name) -> std::string {
    try {
      npu::find_preset(name);
      return "";
    } catch (const std::invalid_argument& error) {
      return error.what();
    }
  };
  app.add_option("--npu-preset", target, help)
      ->check(CLI::Validator(check, ""))
      ->type_name("PRESET")
      ->capture_default_str();
}

void add_number_or_none(CLI::App& app, const std::string& name, std::optional<double>& target,
                        const NumberRange& range, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target.reset();
           if (text != "None") target = parse_number(name, text, range);
         },
         help)
      ->type_name("NUMBER|None")
      ->default_str(target ? CLI::detail::to_string(*target) : "None");
}

void add_integer_or_none(CLI::App& app, const std::string& name, std::optional<std::size_t>& target,
                         const IntegerRange& range, const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target.reset();
           if (text != "None") target = parse_integer(name, text, range);
         },
         help)
      ->type_name("N|None");
}

std::string language_code(const std::string& text) {
  const std::string lower = CLI::detail::to_lower(text);
  if (lower == "auto" || lower == "none") return "";
  const auto code = models::find_language(text);
  if (!code) {
    std::vector<std::string> names;
    for (const models::Language& language : models::all_languages())
      names.emplace_back(language.name);
    throw CLI::ValidationError(
        "--language", text + " is no language Whisper knows" + models::suggestion(lower, names) +
                          ": expected a code (en, zh), an English name or a tag (pt-BR)");
  }
  return std::string(*code);
}

std::vector<models::TokenId> parse_tokens(const std::string& text) {
  std::vector<models::TokenId> tokens;
  for (const std::string& field : split(text)) {
    const auto token = read_number<models::TokenId>(field);
    if (!token || *token < -1) {
      throw CLI::ValidationError("--suppress-tokens",
                                 "expected -1 or token ids, with commas, found " + text);
    }
    tokens.push_back(*token);
  }
  return tokens;
}

std::vector<double> parse_clips(const std::string& text) {
  const std::string name = "--clip-timestamps";
  std::vector<double> clips;
  for (const std::string& field : split(text)) {
    clips.push_back(parse_number(name, field, {ranges::kSecondsOfAudio}));
    if (clips.size() > 1 && clips.back() < clips.end()[-2]) {
      throw CLI::ValidationError(name, "expected growing seconds, found " + text);
    }
  }
  return clips;
}

}  // namespace wnpu::app
