#include "app/cli/command_words.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>
#include <string_view>
#include <system_error>

#include "app/options/exit_code.h"
#include "app/options/foreign_options.h"
#include "app/options/option_values.h"
#include "app/system/url.h"
#include "models/base/closest_name.h"

namespace wnpu::app {
namespace {

// Options whose value is a text or a list that may have nothing in it.
constexpr std::array<std::string_view, 8> kMayBeEmpty = {
    "initial-prompt",      "hotwords",        "prefix",          "prepend-punctuations",
    "append-punctuations", "suppress-tokens", "clip-timestamps", "config"};

bool may_be_empty(const CLI::Option& option) {
  return std::ranges::any_of(
      kMayBeEmpty, [&](std::string_view name) { return option.check_lname(std::string(name)); });
}

bool is_bool(const std::string& word) {
  const std::string lower = CLI::detail::to_lower(word);
  return lower == "true" || lower == "false" || lower == "none";
}

// Whether the word names a recording: "-", a file that is there, a URL.
bool names_input(const std::string& word) {
  std::error_code error;
  return word == "-" || std::filesystem::exists(word, error) || !scheme_of(word).empty();
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

std::vector<const CLI::App*> all_commands(const CLI::App& above) {
  return above.get_subcommands([](const CLI::App*) { return true; });
}

// Command below `above` that the misspelt word is closest to.
std::string suggested_command(const std::string& word, const CLI::App& above) {
  std::vector<std::string> names;
  for (const CLI::App* command : all_commands(above)) names.push_back(command->get_name());
  return models::suggestion(word, names);
}
std::string suggested_option(const std::string& name, const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    for (const std::string& known : option->get_lnames()) names.push_back("--" + known);
  }
  return models::suggestion(name, names);
}

[[noreturn]] void refuse_word(const std::string& message) {
  throw UsageError(message + " (see --help)");
}

void check_empty(const CLI::Option& option, const std::string& name, const std::string& value) {
  // CLI11 takes nothing from a list of delimiters, and the next word in its place.
  const char delimiter = option.get_delimiter();
  const bool is_empty = std::ranges::all_of(
      value, [delimiter](char c) { return delimiter != '\0' && c == delimiter; });
  if (is_empty && !may_be_empty(option)) refuse_word(name + ": expected a value, found nothing");
}

class WordSorter {
 public:
  WordSorter(const CLI::App& app, const CLI::App& usual, std::span<const char* const> arguments)
      : app_(&app), usual_(&usual), left_(arguments) {}

  CommandWords run() {
    if (!left_.empty() && means_usual(left_.front())) {
      begin_command(*usual_);
    }
    while (!left_.empty()) {
      const std::string word = next();
      if (word == "--") {
        while (!left_.empty()) take_file(next());
      } else if (word.starts_with("--")) {
        take_long(word, word);
      } else if (const std::string_view name = long_name_of(word); !name.empty()) {
        take_long(std::string(name), word);
      } else if (word == "-f" && has_format() && names_no_format()) {
        take_file(next());  // as in whisper.cpp
      } else if (short_option(word) != nullptr) {
        take_short(word.substr(1));
      } else if (word.starts_with('-') && word != "-" && !is_digit(word[1])) {
        refuse_word(
            std::string(word).append(": no such option; a file of that name is ./").append(word));
      } else if (expects_command()) {
        take_command(word);
      } else {
        take_file(word);
      }
    }
    return std::move(words_);
  }

 private:
  std::string next() {
    std::string word = left_.front();
    left_ = left_.subspan(1);
    return word;
  }

  // Option of the command; before the command, of the program.
  const CLI::Option* find(const std::string& name) const {
    return (command_ != nullptr ? command_ : app_)->get_option_no_throw(name);
  }

  // The option that "-vo" begins with; nullptr: none.
  const CLI::Option* short_option(const std::string& word) const {
    if (word.size() < 2 || word[0] != '-' || word[1] == '-') return nullptr;
    return find(word.substr(0, 2));
  }

  bool has_format() const { return find("--format") != nullptr; }
  // The next word is a path or ends as files do.
  bool names_no_format() const {
    return !left_.empty() &&
           std::string_view(left_.front()).find_first_of("./") != std::string::npos;
  }

  // Words that nobody means as a value. As in argparse, text with a space is no option.
  bool looks_like_option(const std::string& word) const {
    if (word == "--") return true;
    if (word.find(' ') != std::string::npos) return false;
    return (word.size() > 2 && word.starts_with("--")) || short_option(word) != nullptr ||
           !long_name_of(word).empty();
  }

  // The program, or a command that is told what to do by a second word: `npu emit`.
  const CLI::App& above() const { return command_ != nullptr ? *command_ : *app_; }
  bool expects_command() const { return !all_commands(above()).empty(); }

  // Whether the command line begins with this word, and so without a command.
  bool means_usual(const std::string& word) const {
    const auto is_named = [&](const CLI::App* each) { return each->check_name(word); };
    if (std::ranges::any_of(all_commands(*app_), is_named)) return false;
    if (word == "-" || !word.starts_with('-')) return names_input(word);
    if (!long_name_of(word).empty()) return true;
    const bool is_long = word.starts_with("--");
    const std::string name =
        is_long ? with_dashes(word.substr(0, word.find('='))) : word.substr(0, 2);
    const bool is_foreign = is_long && find_foreign_option(name.substr(2)) != nullptr;
    if (app_->get_option_no_throw(name) != nullptr) {
      // --json is of --version, or another program's.
      const auto is_version = [](const std::string& each) { return each == "--version"; };
      return is_foreign && std::ranges::none_of(left_, is_version);
    }
    return is_foreign || usual_->get_option_no_throw(name) != nullptr;
  }

  void take_command(const std::string& word) {
    const auto found =
        above().get_subcommands([&](const CLI::App* each) { return each->check_name(word); });
    if (found.empty() && command_ == nullptr && names_input(word)) {
      begin_command(*usual_);
      return take_file(word);
    }
    if (found.empty()) {
      refuse_word((command_ == nullptr
                       ? word + ": there is no such command, and no such file"
                       : command_->get_name() + " " + word + ": there is no such action") +
                  suggested_command(word, above()));
    }
    begin_command(*found.front());
  }

  void begin_command(const CLI::App& command) {
    command_ = words_.command = &command;
    words_.options.push_back(command.get_name());
    words_.n_before_settings = words_.options.size();
  }

  void take_file(const std::string& word) {
    if (expects_command()) return take_command(word);
    if (word.empty()) refuse_word("the name of a file is empty");
    words_.files.push_back(word);
  }

  // `written` is what stands for that on the command line: another program's short name, or itself.
  void take_long(const std::string& word, const std::string& written) {
    const std::size_t end = std::min(word.find('='), word.size());
    const std::string name = with_dashes(word.substr(0, end));
    const std::string shown = written == word ? name : written;
    const auto value =
        end == word.size() ? std::nullopt : std::optional<std::string>(word.substr(end + 1));
    if (const CLI::Option* const option = find(name)) return take(*option, name, value);
    const ForeignOption* const foreign = find_foreign_option(name.substr(2));
    if (foreign != nullptr && foreign->ours.empty()) {
      refuse_word(shown + ": " + std::string(foreign->advice));
    }
    const std::string ours = foreign == nullptr ? "" : "--" + std::string(foreign->ours);
    const CLI::Option* const option = ours.empty() ? nullptr : find(ours);
    if (option == nullptr) {
      refuse_word(shown + ": there is no such option" +
                  suggested_option(name, command_ != nullptr ? *command_ : *usual_));
    }
    if (foreign->value.empty()) return take(*option, ours, value);
    if (value) refuse_word(shown + ": expected no value, found \"" + *value + "\"");
    take(*option, ours, std::string(foreign->value));
  }

  // A folder of that name is hardly meant.
  void check_glued(const CLI::Option& option, const std::string& name,
                   const std::string& rest) const {
    const std::string_view advice = advice_for_glued_output(rest);
    if (advice.empty() || !has_format() || !option.check_lname("output-dir")) return;
    refuse_word(name + rest + ": " + name + " is --output-dir, a folder: " + std::string(advice) +
                "; a folder of that name is " + name + "=" + rest);
  }

  // "vo=folder" is -v and -o with a value, as is "vofolder".
  void take_short(const std::string& letters) {
    const std::string name = std::string("-") + letters[0];
    const CLI::Option* const option = find(name);
    const std::string rest = letters.substr(1);
    if (option == nullptr) refuse_word(name + ": there is no such option");
    if (rest.empty()) return take(*option, name, std::nullopt);
    if (rest[0] == '=') return take(*option, name, rest.substr(1));
    if (takes_value(*option) && !may_go_without_value(*option)) {
      check_glued(*option, name, rest);
      return take(*option, name, rest);
    }
    take(*option, name, std::nullopt);
    take_short(rest);
  }

  // `value` is what was written behind "=".
  void take(const CLI::Option& option, const std::string& name,
            const std::optional<std::string>& value) {
    words_.options.push_back(name);
    words_.given.push_back(&option);
    if (!takes_value(option)) {
      if (value) refuse_word(name + ": expected no value, found \"" + *value + "\"");
    } else if (may_go_without_value(option) && !value) {
      words_.options.push_back(next_bool(option, name));
    } else {
      words_.options.push_back(value ? *value : next_value(name));
      check_empty(option, name, words_.options.back());
    }
    if (option.check_lname("config")) words_.config = words_.options.back();
  }

  // Boolean behind an option whose value may be left out, if the next word is one; else True.
  std::string next_bool(const CLI::Option& option, const std::string& name) {
    if (left_.empty()) return "True";
    const std::string word = left_.front();
    if (is_bool(word)) return next();
    const bool is_verbose = option.get_items_expected_min() == 0;  // -v missing.wav names a file
    if (is_verbose || names_input(word) || looks_like_option(word)) return "True";
    if (word.empty()) check_empty(option, name, word);
    refuse_word(name + ": expected True or False, or a file that is there, found " + word);
  }

  std::string next_value(const std::string& name) {
    if (left_.empty()) refuse_word(name + ": expected a value, found the end of the command line");
    std::string word = next();
    if (looks_like_option(word)) {
      std::string message = name + ": expected a value, found ";
      message += word + "; a value that begins so is written ";
      message += name + "=" + word;
      refuse_word(message);
    }
    return word;
  }

  const CLI::App* app_;
  const CLI::App* usual_;
  const CLI::App* command_ = nullptr;  // once it was named
  std::span<const char* const> left_;
  CommandWords words_;
};

}  // namespace

CommandWords sort_words(const CLI::App& app, const CLI::App& usual,
                        std::span<const char* const> arguments) {
  return WordSorter(app, usual, arguments).run();
}

void add_settings(CommandWords& words, const std::vector<Setting>& settings, Origins& origins) {
  std::vector<std::string> added;
  for (const Setting& setting : settings) {
    if (std::ranges::find(words.given, setting.option) != words.given.end()) continue;
    if (setting.is_engines) continue;
    const std::string name = long_name(*setting.option);
    for (const std::string& each : setting.option->get_lnames()) {
      origins.emplace("--" + each, setting.place());
    }
    if (!takes_value(*setting.option)) {
      if (is_true(setting.values.front())) added.push_back(name);
      continue;
    }
    for (const std::string& value : setting.values) {
      check_empty(*setting.option, name, value);
      added.push_back(name);
      added.push_back(value);
    }
  }
  words.options.insert(words.options.begin() + static_cast<std::ptrdiff_t>(words.n_before_settings),
                       added.begin(), added.end());
}

}  // namespace wnpu::app
