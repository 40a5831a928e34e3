#include "app/options/output_options.h"

#include <algorithm>

#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/subtitle_rules_file.h"

namespace wnpu::app {
namespace {

void add_format(Options& options, const std::string& name) {
  for (const FormatName& known : kFormats) {
    // "all" is every file format: text is txt for people.
    const bool wanted = name == "all" ? known.format != Format::text : known.name == name;
    const auto& has = options.formats;
    if (wanted && std::find(has.begin(), has.end(), known.format) == has.end()) {
      options.formats.push_back(known.format);
    }
  }
}

void add_result_options(CLI::App& app, Options& options) {
  std::vector<std::string> names = {"all"};
  for (const FormatName& known : kFormats) names.emplace_back(known.name);
  app.add_option_function<std::vector<std::string>>(
         "-f,--format,--output-format",
         [&options](const std::vector<std::string>& given) {
           for (const std::string& name : given) add_format(options, name);
         },
         "Repeatable; text if not given, all with --output-dir; json and jsonl: by "
         "transcript.schema.json (in share/whisper-npu/schemas)")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(one_of(names))
      ->type_name(CLI::detail::join(names, "|"));
  CLI::Option* const folder =
      app.add_option("-o,--output-dir", options.output_dir, "Folder to write NAME.FORMAT to")
          ->type_name("DIR");
  CLI::Option* const output_names =
      app.add_option("--output-template", options.output_template,
                     "Names of results, below --output-dir if given: {dir}/{stem}.{lang}.{ext}; "
                     "also {name}, {model}, {task}, {n}")
          ->type_name("TEMPLATE");
  app.add_flag_callback(
         "--beside", [&options] { options.output_template = "{dir}/{stem}.{ext}"; },
         "Results beside the recordings: --output-template '{dir}/{stem}.{ext}'")
      ->excludes(output_names)
      ->excludes(folder);
  app.add_option("--output", options.output, "File to write to; - is stdout")->type_name("FILE|-");
}

void add_existing_options(CLI::App& app, Options& options) {
  const auto set_existing = [&options](ExistingOutput existing) {
    return [&options, existing] { options.existing = existing; };
  };
  CLI::Option* overwrite = app.add_flag_callback(
      "--overwrite", set_existing(ExistingOutput::overwrite), "Replace files that are there");
  overwrite->configurable(false);  // a permission for this time
  app.add_flag_callback("--skip-existing", set_existing(ExistingOutput::skip),
                        "Keep results that are there; leave out inputs that have them all")
      ->excludes(overwrite);
}

void add_message_options(CLI::App& app, Options& options) {
  const auto set_verbose = [&options](const std::string& text) {
    if (is_true(text)) options.verbosity = Verbosity::verbose;
  };
  app.add_option_function<std::string>("-v,--verbose", set_verbose,
                                       "Times before the text, and what is going on on stderr")
      ->expected(0, 1)
      ->check(one_of({"True", "False", "None"}, Case::ignored))
      ->type_name("[True|False]");
  const auto set_quiet = [&options] {
    if (options.verbosity == Verbosity::verbose) {
      throw CLI::ValidationError("--quiet", "--verbose was given too");
    }
    options.verbosity = Verbosity::quiet;
  };
  app.add_flag_callback("-q,--quiet", set_quiet, "Only errors on stderr");
  add_log_format(app, options.log_format);
}

void add_text_options(CLI::App& app, Options& options) {
  add_choice(
      app, "--headers", {{"auto", "on", "off"}, "auto"},
      [&options](const std::string& name) {
        options.headers = name == "on"    ? Headers::on
                          : name == "off" ? Headers::off
                                          : Headers::automatic;
      },
      "==> FILE <== before each file's text on stdout; auto: with several files");
  add_choice(
      app, "--color", {{"auto", "always", "never"}, "auto"},
      [&options](const std::string& name) {
        options.color = name == "always"  ? Color::always
                        : name == "never" ? Color::never
                                          : Color::automatic;
      },
      "Words, or segments without --word-timestamps, from red to green by their probability, in "
      "--format text on stdout; auto: on a terminal, unless NO_COLOR is set");
}

// Whether the word is the "--" behind which names of files stand. Behind an option it may be what
// is written for a missing value, which is an error: options go on.
bool ends_options(std::span<const char* const> words, std::size_t i) {
  return std::string_view(words[i]) == "--" && (i == 0 || *words[i - 1] != '-');
}

}  // namespace

void add_output_options(CLI::App& app, Options& options) {
  add_result_options(app, options);
  add_existing_options(app, options);
  add_message_options(app, options);
  add_isolation(app, options.isolation, "auto: with several files, or a manifest");
  add_text_options(app, options);
  app.add_flag("--dry-run", options.dry_run,
               "Stop before the encoder, print durations, write no files");
}

void add_isolation(CLI::App& app, Isolation& isolation, const std::string& usual) {
  add_choice(
      app, "--isolate", {{"auto", "on", "off"}, "auto"},
      [&isolation](const std::string& name) {
        isolation = name == "on"    ? Isolation::on
                    : name == "off" ? Isolation::off
                                    : Isolation::automatic;
      },
      "Work in a process of its own, so that a file which kills it leaves the others alone; " +
          usual);
}

void add_log_format(CLI::App& app, LogFormat& format) {
  add_choice(
      app, "--log-format", {{"text", "json"}, "text"},
      [&format](const std::string& name) {
        format = name == "json" ? LogFormat::json : LogFormat::text;
      },
      "Messages on stderr; json: an object a line, and the progress as well, by log.schema.json "
      "(in share/whisper-npu/schemas)");
}

LogFormat log_format_among(std::span<const char* const> words, const char* variable) {
  constexpr std::string_view kName = "--log-format";
  std::string_view found = variable == nullptr ? "" : variable;
  for (std::size_t i = 0; i < words.size() && !ends_options(words, i); ++i) {
    const std::string word = with_dashes(words[i]);
    if (!word.starts_with(kName)) continue;
    if (word.size() == kName.size() && i + 1 < words.size()) found = words[i + 1];
    if (word.size() > kName.size() && word[kName.size()] == '=') {
      found = std::string_view(words[i]).substr(kName.size() + 1);
    }
  }
  return found == "json" ? LogFormat::json : LogFormat::text;
}

void add_subtitle_rules(CLI::App& app, std::optional<SubtitleRules>& rules, RulesFrom from,
                        const std::string& help) {
  constexpr const char* kOption = "--subtitle-rules";
  const auto take = [&rules, from](const std::string& name) {
    if (from == RulesFrom::names && name.ends_with(".toml")) {
      throw CLI::ValidationError(kOption, "expected plain, netflix or bbc, found a file");
    }
    try {
      rules = read_subtitle_rules(name);
    } catch (const UsageError& error) {
      throw CLI::ValidationError(kOption, error.what());
    }
  };
  const std::string names = "plain|netflix|bbc";
  app.add_option_function<std::string>(kOption, take, help)
      ->type_name(from == RulesFrom::names ? names : names + "|FILE")
      ->default_str(rules ? rules->name : "plain");
}

void add_layout_options(CLI::App& app, SubtitleLayout& layout, RulesFrom from) {
  const IntegerRange range = {{1, 100000}};
  add_integer_or_none(app, "--max-line-width", layout.max_line_width, range,
                      "With word timestamps: characters a subtitle line");
  add_integer_or_none(app, "--max-line-count", layout.max_line_count, range,
                      "With --max-line-width: lines a subtitle");
  add_integer_or_none(app, "--max-words-per-line", layout.max_words_per_line, range,
                      "With word timestamps and without --max-line-count: words a subtitle");
  add_bool(app, "--highlight-words", layout.highlight_words,
           "With word timestamps: underline each word as it is spoken, in srt and vtt");
  add_subtitle_rules(app, layout.rules, from,
                     "Lines, breaks, times and reading speed of srt and vtt; a file of TOML names "
                     "its own; turns word timestamps on; plain: as openai-whisper");
}

}  // namespace wnpu::app
