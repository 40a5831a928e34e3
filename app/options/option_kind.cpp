#include "app/options/option_kind.h"

#include "app/options/config_file.h"
#include "app/options/option_values.h"

namespace wnpu::app {
namespace {

// Canonical form of a boolean. Only --verbose takes None, which means the same as False there.
std::string boolean_form(const std::string& text, bool takes_no_value) {
  const std::string lower = CLI::detail::to_lower(text);
  if (lower == "true") return "True";
  return lower == "false" || (takes_no_value && lower == "none") ? "False" : text;
}

}  // namespace

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

}  // namespace wnpu::app
