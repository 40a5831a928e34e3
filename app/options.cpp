#include "app/options.h"

#include <algorithm>
#include <functional>

#include <CLI/CLI.hpp>

#include "app/exit_code.h"
#include "app/option_values.h"
#include "app/version.h"
#include "app/work_options.h"
#include "audio/error.h"

namespace wnpu::app {
namespace {

audio::RawFormat parse_stdin_format(const std::string& text) {
  try {
    return audio::parse_raw_format(text);
  } catch (const audio::AudioError& error) {
    throw CLI::ValidationError("--stdin-format", error.what());
  }
}

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

void add_input_options(CLI::App& app, Options& options) {
  app.add_option("files", options.inputs, "Audio files; - is stdin")->required();
  app.add_option_function<std::string>(
         "--stdin-format",
         [&options](const std::string& text) { options.stdin_format = parse_stdin_format(text); },
         "stdin is raw samples, e.g. s16le:16000:1")
      ->type_name("FORMAT:RATE:CHANNELS");
}

void add_layout_options(CLI::App& app, SubtitleLayout& layout) {
  const auto add_limit = [&app](const std::string& name, std::optional<std::size_t>& target,
                                const std::string& help) {
    app.add_option(name, target, help)
        ->check(CLI::Range(1, 100000).description(""))
        ->type_name("N");
  };
  add_limit("--max-line-width", layout.max_line_width,
            "With word timestamps: characters a subtitle line");
  add_limit("--max-line-count", layout.max_line_count, "With --max-line-width: lines a subtitle");
  add_limit("--max-words-per-line", layout.max_words_per_line,
            "With word timestamps and without --max-line-width: words a subtitle line");
  add_bool(app, "--highlight-words", layout.highlight_words,
           "With word timestamps: underline each word as it is spoken, in srt and vtt");
}

void add_output_options(CLI::App& app, Options& options) {
  std::vector<std::string> names = {"all"};
  for (const FormatName& known : kFormats) names.emplace_back(known.name);
  app.add_option_function<std::vector<std::string>>(
         "-f,--format,--output-format",
         [&options](const std::vector<std::string>& given) {
           for (const std::string& name : given) add_format(options, name);
         },
         "Repeatable; text if not given, all with --output-dir")
      ->allow_extra_args(false)
      ->delimiter(',')
      ->check(one_of(names))
      ->type_name(CLI::detail::join(names, "|"));
  app.add_option("-o,--output-dir", options.output_dir, "Folder to write NAME.FORMAT to")
      ->type_name("DIR");
  app.add_option("--output", options.output, "File to write to; - is stdout")->type_name("FILE|-");
  const auto set_existing = [&options](ExistingOutput existing) {
    return [&options, existing] { options.existing = existing; };
  };
  CLI::Option* overwrite = app.add_flag_callback(
      "--overwrite", set_existing(ExistingOutput::overwrite), "Replace files that are there");
  app.add_flag_callback("--skip-existing", set_existing(ExistingOutput::skip),
                        "Leave out inputs whose results are there")
      ->excludes(overwrite);
  CLI::Option* verbose = app.add_flag_callback(
      "-v,--verbose", [&options] { options.verbosity = Verbosity::verbose; },
      "Times before the text, and what is going on on stderr");
  app.add_flag_callback(
         "-q,--quiet", [&options] { options.verbosity = Verbosity::quiet; },
         "Only errors on stderr")
      ->excludes(verbose);
  app.add_flag("--dry-run", options.dry_run,
               "Stop before the encoder, print durations, write no files");
}

// What CLI11 cannot say. Messages for formats to stdout are in output_plan.cpp.
void check(const Options& options) {
  const auto n_stdin = std::count(options.inputs.begin(), options.inputs.end(), "-");
  if (n_stdin > 1) throw UsageError("- (stdin) can be read once only");
  if (options.stdin_format && n_stdin == 0) {
    throw UsageError("--stdin-format is for stdin: give - as a file");
  }
  const SubtitleLayout& layout = options.layout;
  const bool needs_words = layout.max_line_width || layout.max_line_count ||
                           layout.max_words_per_line || layout.highlight_words;
  if (needs_words && !options.transcribe.word_timestamps) {
    throw UsageError(
        "--max-line-width, --max-line-count, --max-words-per-line and --highlight-words need "
        "--word-timestamps True");
  }
  if (!options.output.empty() && !options.output_dir.empty()) {
    throw UsageError("--output and --output-dir exclude each other");
  }
}

// "transcribe or bench"
std::string names_of(std::span<const Subcommand> others) {
  std::string names = "transcribe";
  for (const Subcommand& other : others) names += " or " + other.name;
  return names;
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

CommandLine parse_command_line(std::span<const char* const> arguments,
                               std::span<const Subcommand> others) {
  CommandLine line;
  bool wants_version = false;
  bool wants_json = false;
  CLI::App app("Whisper speech recognition on AMD XDNA NPUs and CPUs", "whisper-npu");
  CLI::Option* version = app.add_flag("--version", wants_version, "Print what this build is");
  app.add_flag("--json", wants_json, "--version as JSON")->needs(version);
  app.require_subcommand(0, 1);
  app.footer(
      "Environment:\n"
      "  WNPU_ISA=amx|avx3_dl|avx3|avx2|sse4|ssse3|scalar  Kernels of another instruction set\n"
      "  XDG_CACHE_HOME                                    Models are in its whisper-npu "
      "(~/.cache)");
  CLI::App* transcribe = app.add_subcommand("transcribe", "Speech in files to text");
  add_input_options(*transcribe, line.options);
  add_work_options(*transcribe, line.options);
  add_layout_options(*transcribe, line.options.layout);
  add_output_options(*transcribe, line.options);
  for (const Subcommand& other : others) {
    CLI::App* command = app.add_subcommand(other.name, other.help);
    other.add_options(*command);
    command->callback([&line, &other] { line = {Command::other, {}, {}, other.run}; });
  }

  std::vector<std::string> words = with_dashes(arguments);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return {Command::print, {}, app.help(), {}};
  } catch (const CLI::ParseError& error) {
    throw UsageError(first_line(error.what()) + " (see --help)");
  }
  if (wants_version) return {Command::print, {}, version_text(wants_json), {}};
  if (line.command == Command::other) return line;
  if (!app.got_subcommand(transcribe)) {
    throw UsageError("a command is required: " + names_of(others) + " (see --help)");
  }
  settle_work_options(line.options);
  check(line.options);
  return line;
}

}  // namespace wnpu::app
