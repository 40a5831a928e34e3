#include "app/config/config_file.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <fcntl.h>
#include <sstream>
#include <stdexcept>
#include <unistd.h>

namespace wnpu::app {
[[noreturn]] static void refuse_toml() { throw std::logic_error("expected TOML"); }
}  // namespace wnpu::app

// The compiled library would be one more to install.
#define TOML_HEADER_ONLY 1
// Damaged files break some of its assertions (3.3.0): they are refused, in Release too.
#define TOML_ASSERT(condition) ((condition) ? void() : wnpu::app::refuse_toml())
#include <toml++/toml.h>

#include "app/cli/exit_code.h"
#include "npu/xdg_folder.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxBytes = std::size_t{1} << 20U;
// A key has a part for each command and one for the option, "models.convert.output".
constexpr std::size_t kMostKeyParts = 16;
constexpr std::string_view kPrefix = "WHISPER_NPU_";

using Kind = ConfigNode::Kind;

class OpenFile {
 public:
  explicit OpenFile(const fs::path& path) : value_(::open(path.c_str(), O_RDONLY | O_CLOEXEC)) {}
  ~OpenFile() {
    if (value_ >= 0) ::close(value_);
  }
  OpenFile(const OpenFile&) = delete;
  OpenFile& operator=(const OpenFile&) = delete;

  int get() const { return value_; }

 private:
  int value_;
};

[[noreturn]] void refuse_file(const fs::path& file, const std::string& found) {
  throw UsageError(file.string() + ": expected a configuration file, found " + found);
}

// A device or a pipe might never end.
std::string read_text(const fs::path& path) {
  const OpenFile file(path);
  if (file.get() < 0) refuse_file(path, std::strerror(errno));
  std::string text;
  std::array<char, 16384> part{};
  while (true) {
    const ssize_t n = ::read(file.get(), part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) refuse_file(path, std::strerror(errno));
    if (n == 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
    if (text.size() > kMaxBytes) {
      refuse_file(path, "more than " + std::to_string(kMaxBytes >> 20U) + " MiB");
    }
  }
}

std::string digits_in(double number, auto... format) {
  std::array<char, 64> text{};
  const auto [end, error] =
      std::to_chars(text.data(), text.data() + text.size(), number, format...);
  return {text.data(), end};
}

// Where a string ends that begins at `at`: on its line, but for those of three quotes.
std::size_t end_of_toml_string(std::string_view text, std::size_t at) {
  const char quote = text[at];
  const std::string three(3, quote);
  const bool is_long = text.substr(at).starts_with(three);
  const std::string_view mark = std::string_view(three).substr(0, is_long ? 3 : 1);
  for (at += mark.size(); at < text.size(); ++at) {
    if (text.substr(at).starts_with(mark)) {
      at += mark.size();
      // A long string may end in one or two quotes of its own.
      for (int i = 0; i < 2 && is_long && text.substr(at).starts_with(quote); ++i) ++at;
      return at;
    }
    if (text[at] == '\n' && !is_long) return at;
    if (text[at] == '\\' && quote == '"') ++at;
  }
  return text.size();
}

// TOML's parser and the destructor of its tables call themselves for each part of a dotted key.
// Outside of strings and comments a dot is a key's, or the one of a number.
void check_dotted_keys(std::string_view text, const std::string& name) {
  std::size_t n_parts = 1;
  for (std::size_t at = 0; at < text.size();) {
    const char c = text[at];
    if (c == '"' || c == '\'') {
      at = end_of_toml_string(text, at);
    } else if (c == '#') {
      at = std::min(text.find('\n', at), text.size());
    } else {
      ++at;
      if (c == '.') ++n_parts;
      if (std::string_view("=,[]{}\n").find(c) != std::string_view::npos) n_parts = 1;
      if (n_parts <= kMostKeyParts) continue;
      const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<long>(at), '\n');
      throw UsageError(name + ":" + std::to_string(line) + ": expected keys of at most " +
                       std::to_string(kMostKeyParts) + " parts, found more");
    }
  }
}

ConfigNode node_of(const toml::node& node);

void add_keys(const toml::table& table, ConfigNode& result) {
  for (const auto& [key, below] : table) {
    ConfigNode node = node_of(below);
    // A table that only dotted keys make has no line of its own.
    if (node.line == 0) node.line = key.source().begin.line;
    result.keys.emplace_back(std::string(key.str()), std::move(node));
  }
}

ConfigNode node_of(const toml::node& node) {
  ConfigNode result;
  result.line = node.source().begin.line;
  const auto take = [&result](Kind kind, std::string text) {
    result.kind = kind;
    result.text = std::move(text);
  };
  if (const auto* table = node.as_table()) {
    result.kind = Kind::table;
    add_keys(*table, result);
  } else if (const auto* list = node.as_array()) {
    result.kind = Kind::list;
    for (const toml::node& item : *list) result.items.push_back(node_of(item));
  } else if (const auto* text = node.as_string()) {
    take(Kind::text, text->get());
  } else if (const auto* boolean = node.as_boolean()) {
    take(Kind::boolean, boolean->get() ? "True" : "False");
  } else if (const auto* integer = node.as_integer()) {
    take(Kind::integer, std::to_string(integer->get()));
  } else if (const auto* number = node.as_floating_point()) {
    take(Kind::number, toml_number(number->get()));
  }
  return result;
}

}  // namespace

Surroundings surroundings_of_process() {
  Surroundings result;
  for (char** each = ::environ; *each != nullptr; ++each) {
    const std::string_view variable = *each;
    const std::size_t end = variable.find('=');
    if (!variable.starts_with(kPrefix) || end == std::string_view::npos) continue;
    result.variables.emplace(variable.substr(0, end), variable.substr(end + 1));
  }
  result.usual_config = npu::xdg_folder("XDG_CONFIG_HOME", ".config") / "whisper-npu/config.toml";
  return result;
}

std::string_view name_of(Kind kind) {
  switch (kind) {
    case Kind::boolean:
      return "true or false";
    case Kind::integer:
      return "a whole number";
    case Kind::number:
      return "a number";
    case Kind::text:
      return "a string";
    case Kind::list:
      return "an array";
    case Kind::table:
      return "a table";
    case Kind::other:
      break;
  }
  return "a date or time";
}

ConfigPlace config_place(const std::optional<std::string>& named,
                         const Surroundings& surroundings) {
  if (named) return {*named, !named->empty()};
  const auto variable = surroundings.variables.find("WHISPER_NPU_CONFIG");
  if (variable == surroundings.variables.end()) return {surroundings.usual_config, false};
  return {variable->second, !variable->second.empty()};
}

ConfigNode parse_config(std::string_view text, const std::string& name) {
  check_dotted_keys(text, name);
  try {
    return node_of(toml::parse(text));
  } catch (const toml::parse_error& error) {
    throw UsageError(name + ":" + std::to_string(error.source().begin.line) + ": " +
                     std::string(error.description()));
  } catch (const std::logic_error& error) {
    throw UsageError(name + ": " + error.what());
  }
}

ConfigNode read_config(const ConfigPlace& place) {
  std::error_code error;
  const bool is_there = !place.file.empty() && fs::exists(fs::symlink_status(place.file, error));
  if (place.file.empty() || (!place.is_named && !is_there)) {
    ConfigNode nothing;
    nothing.kind = Kind::table;
    return nothing;
  }
  return parse_config(read_text(place.file), place.file.string());
}

std::string toml_string(const std::string& text) {
  std::ostringstream stream;
  stream << toml::value<std::string>(text);
  return stream.str();
}

std::string toml_number(double number) {
  if (number == 0) return "0";  // and -0
  constexpr std::size_t kDigitsOfTomlIntegers = 18;
  const std::string text = digits_in(number);
  const bool is_integer = text.find_first_not_of("-0123456789") == std::string::npos;
  if (!is_integer || text.size() <= kDigitsOfTomlIntegers) return text;
  return digits_in(number, std::chars_format::scientific);
}

}  // namespace wnpu::app
