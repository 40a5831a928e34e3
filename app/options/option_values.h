// Kinds of values on the command line, and how they are declared to CLI11.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/engine/option_check.h"
#include "models/base/stages.h"

namespace wnpu::app {

// Groups the options that `add` declares under this heading in --help and the manual page.
void add_group(CLI::App& app, const std::string& heading, const std::function<void()>& add);

enum class Case { matters, ignored };

// Without a description of its own: the option's type name says it in --help.
CLI::Validator one_of(std::vector<std::string> names, Case letters = Case::matters);

// Whether a value stands behind the option's name.
bool takes_value(const CLI::Option& option);

// Whether the name alone says True: --vad is --vad True, as --verbose is.
bool may_go_without_value(const CLI::Option& option);

// Whether a command works on files that are named without an option.
bool takes_files(const CLI::App& command);

// "--output_dir" is "--output-dir".
std::string with_dashes(std::string name);

// Kinds of an option's value in a configuration file.
enum class OptionKind { boolean, integer, number, text };

// By the type that --help shows.
OptionKind kind_of(const CLI::Option& option);
bool takes_none(const CLI::Option& option);

// A value as the command line has it, in the one way that a file and `config show` write it: "0.5"
// of ".5", "3" of "003", "True" of "true". What the command line does not read stays as it is.
std::string usual_form(const CLI::Option& option, const std::string& text);

// openai/whisper's str2bool, in any case.
bool is_true(const std::string& text);
CLI::Option* add_bool(CLI::App& app, const std::string& name, std::function<void(bool)> set,
                      const std::string& help);
void add_bool(CLI::App& app, const std::string& name, bool& target, const std::string& help);

// Numbers that are taken, and the one that None stands for where it does (openai/whisper's
// optional_float and optional_int).
struct NumberRange {
  Range<double> values;
  std::optional<double> none = std::nullopt;
};
struct IntegerRange {
  Range<std::uint64_t> values;
  std::optional<std::uint64_t> none = std::nullopt;
};

// The whole of `text` as a number; none: it is none. An integer is decimal digits and nothing else.
std::optional<double> number_of_text(const std::string& text);
std::optional<std::uint64_t> integer_of_text(const std::string& text);

// These throw CLI::ValidationError.
double parse_number(const std::string& name, const std::string& text, const NumberRange& range);
std::uint64_t parse_integer(const std::string& name, const std::string& text,
                            const IntegerRange& range);

// Bytes: "1048576", "1024K", "1M", "2GiB", "500MB"; K, M, G, T (or KiB to TiB) are powers of 1024,
// KB to TB of 1000, as in GNU's tools. At least 1.
std::uint64_t parse_size(const std::string& name, const std::string& text);
void add_size(CLI::App& app, const std::string& name, std::optional<std::uint64_t>& target,
              const std::string& help);

void add_number(CLI::App& app, const std::string& name, double& target, const NumberRange& range,
                const std::string& help);

// "auto", then `names`.
std::vector<std::string_view> with_auto(std::span<const std::string_view> names);
// The type of options that take a model.
inline constexpr const char* kModelType = "NAME|PATH";

// An option whose value is one of `names`: --help lists them, `take` gets the one given.
struct Choice {
  std::vector<std::string_view> names;
  std::string_view default_name;
};
void add_choice(CLI::App& app, const std::string& name, const Choice& choice,
                const std::function<void(const std::string&)>& take, const std::string& help);
// Choice among names, kept as it was written; the default is what `target` has already.
void add_name(CLI::App& app, const std::string& name, std::span<const std::string_view> names,
              std::string& target, const std::string& help);

// --npu-preset: the name of a time preset (npu/design/target.h); another is refused.
void add_preset(CLI::App& app, std::string& target, const std::string& help);

void add_number_or_none(CLI::App& app, const std::string& name, std::optional<double>& target,
                        const NumberRange& range, const std::string& help);
void add_integer_or_none(CLI::App& app, const std::string& name, std::optional<std::size_t>& target,
                         const IntegerRange& range, const std::string& help);
template <typename Integer>
void add_integer(CLI::App& app, const std::string& name, Integer& target, const IntegerRange& range,
                 const std::string& help) {
  app.add_option_function<std::string>(
         name,
         [&target, name, range](const std::string& text) {
           target = static_cast<Integer>(parse_integer(name, text, range));
         },
         help)
      ->type_name(range.none ? "N|None" : "N")
      ->default_str(std::to_string(target));
}

// These throw CLI::ValidationError.
std::string language_code(const std::string& text);
std::vector<models::TokenId> parse_tokens(const std::string& text);
std::vector<double> parse_clips(const std::string& text);

}  // namespace wnpu::app
