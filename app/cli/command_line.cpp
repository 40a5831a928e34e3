#include "app/cli/command_line.h"

#include <algorithm>
#include <functional>
#include <utility>

#include <CLI/CLI.hpp>

#include "app/cli/command_words.h"
#include "app/cli/config_command.h"
#include "app/cli/manual.h"
#include "app/cli/version.h"
#include "app/engine/option_check.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/options/work_options.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/text/vocabulary.h"

namespace wnpu::app {
namespace {

void add_input_options(CLI::App& app, Options& options) {
  app.add_option("files", options.inputs,
                 "Audio files; - is stdin; or the URL of one (http, https)");
  app.add_flag("-r,--recursive", options.recursive,
               "A folder stands for the audio and video files in it and its folders");
  app.add_flag("--follow-links", options.follows_links,
               "With -r, links to folders are followed; with --watch, those to files outside too");
  app.add_option("--watch", options.watch,
                 "Instead of files: take a folder's recordings, and each new one once it is whole, "
                 "until a signal ends it; with -r those below as well")
      ->configurable(false)  // as files
      ->type_name("DIR");
  add_stdin_format(app, options.stdin_format, "stdin is raw samples, e.g. s16le:16000:1");
  add_url_options(app, options);
  app.add_option_function<std::string>(
         "--audio-track",
         [&options](const std::string& text) {
           options.each_audio.track = parse_integer("--audio-track", text, {{0, 1000}});
         },
         "Of files with several audio tracks, counted from 0; ffmpeg's choice if not given")
      ->type_name("N");
  add_bool(app, "--container-times", options.each_audio.container_times,
           "Sound that a film has late, or not at all, is silence; False: it is left out, as "
           "openai-whisper does");
  add_number(app, "--max-duration", options.each_audio.max_duration_s, {ranges::kMaxDuration},
             "Seconds of audio that are taken of a pipe, which may have no end");
}

void add_manifest_options(CLI::App& app, Options& options) {
  ManifestOptions& manifest = options.manifest;
  const auto add = [&app](const std::string& name, std::string& target, const std::string& help) {
    return app.add_option(name, target, help)->configurable(false);  // as files
  };
  add("--manifest", manifest.file,
      "Instead of files: rows of a JSONL file, by row.schema.json (in share/whisper-npu/schemas); "
      "results are JSON lines, by result.schema.json (there too), on stdout or in the file of "
      "--output or --resume")
      ->type_name("FILE");
  add("--shard", manifest.shard,
      "Only rows r (counted from 0) with r mod N = I - 1; auto: I and N of the Slurm or Kubernetes "
      "array job that runs this")
      ->type_name("I/N|auto");
  add("--resume", manifest.resume,
      "Add results to this file, for the rows that have none there; it may be missing")
      ->type_name("FILE");
  app.add_flag("--retry-failed", manifest.retries_failed,
               "Take failed rows out of the file of --resume, and try them again")
      ->configurable(false);
  add("--summary", manifest.summary,
      "Rows, failures, seconds and word errors as JSON, by summary.schema.json (in "
      "share/whisper-npu/schemas)")
      ->type_name("FILE");
  add_row_options(app, options.rows);
}

// Refuses options that make no sense with --watch, whose recordings come one by one.
void check_watch(const Options& options) {
  const auto refuse = [](bool is_given, const std::string& name, const std::string& why) {
    if (is_given) throw UsageError("--watch and " + name + " exclude each other: " + why);
  };
  refuse(!options.inputs.empty(), "files", "it takes what is in its folder");
  refuse(!options.stdin_format.empty(), "--stdin-format", "it does not read stdin");
  refuse(!options.output.empty(), "--output", "each recording has results of its own");
  refuse(options.existing == ExistingOutput::overwrite, "--overwrite",
         "a recording that has its results is left alone");
  refuse(options.dry_run, "--dry-run", "nothing would say which are done");
  refuse(options.output_template.find("{n}") != std::string::npos, "{n} of --output-template",
         "recordings that come have no number");
  refuse(options.isolation == Isolation::on, "--isolate on", "one process does all");
  if (options.output_dir.empty() && options.output_template.empty()) {
    throw UsageError(
        "--watch needs --beside, --output-dir or --output-template, as in --beside --format srt");
  }
}

// Refuses options that make no sense with the rows of --manifest.
void check_manifest(const Options& options) {
  const auto refuse = [](bool is_given, const std::string& name, const std::string& why) {
    if (is_given) throw UsageError("--manifest and " + name + " exclude each other: " + why);
  };
  refuse(!options.inputs.empty(), "files", "its rows name them");
  refuse(!options.watch.empty(), "--watch", "its rows name the files");
  refuse(options.recursive, "--recursive", "its rows name files");
  refuse(!options.stdin_format.empty(), "--stdin-format", "its rows name files");
  refuse(!options.output_dir.empty(), "--output-dir", "give --output FILE or --resume FILE");
  refuse(!options.output_template.empty(), "--output-template or --beside",
         "results go to one file");
  refuse(!options.formats.empty(), "--format", "results are JSON lines");
  refuse(options.headers == Headers::on, "--headers on", "results are JSON lines");
  refuse(options.color == Color::always, "--color always", "results are JSON lines");
  refuse(options.dry_run, "--dry-run", "give the files");
  refuse(options.existing == ExistingOutput::skip, "--skip-existing", "give --resume FILE");
  if (!options.manifest.resume.empty() && !options.output.empty()) {
    throw UsageError("--resume and --output exclude each other");
  }
  if (!options.manifest.resume.empty() && options.existing == ExistingOutput::overwrite) {
    throw UsageError("--resume and --overwrite exclude each other");
  }
}

// Checks that CLI11 cannot express. Messages for formats to stdout are in output_plan.cpp.
void check(const Options& options) {
  if (!options.manifest.file.empty()) return check_manifest(options);
  if (!options.watch.empty()) return check_watch(options);
  if (options.inputs.empty()) throw UsageError("files is required: audio files, or - for stdin");
  const auto n_stdin = std::count(options.inputs.begin(), options.inputs.end(), "-");
  if (n_stdin > 1) throw UsageError("- (stdin) can be read once only");
  if (!options.stdin_format.empty() && n_stdin == 0) {
    throw UsageError("--stdin-format is for stdin: give - as a file");
  }
  if (!options.output.empty() && !options.output_dir.empty()) {
    throw UsageError("--output and --output-dir exclude each other");
  }
  if (!options.output.empty() && !options.output_template.empty()) {
    throw UsageError("--output and --output-template or --beside exclude each other");
  }
}

// Whoever says what stdin looks like means it.
void take_stdin_of_format(Options& options) {
  const bool has_others = !options.manifest.file.empty() || !options.watch.empty();
  if (options.inputs.empty() && !options.stdin_format.empty() && !has_others) {
    options.inputs = {"-"};
  }
}

// "transcribe or bench"
std::string names_of(std::span<const Subcommand> commands, std::string names = "") {
  for (const Subcommand& command : commands) {
    names += (names.empty() ? "" : " or ") + command.name;
  }
  return names;
}

// The last of an option's values counts, as in argparse.
void take_last(CLI::App& command) {
  for (CLI::Option* option : command.get_options()) {
    if (option->get_items_expected_max() <= 1) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    if (!option->get_positional()) option->allow_extra_args(false);
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

void set_text(std::string text, CommandLine& line) {
  line.command = Command::print;
  line.text = std::move(text);
}

// Target of CLI11's parse.
struct Parsed {
  CommandLine line;
  bool wants_version = false;
  bool wants_json = false;
  ConfigRequest config;
};

void add_command(CLI::App& above, const Subcommand& command, Parsed& parsed) {
  CLI::App* const added = above.add_subcommand(command.name, command.help);
  added->callback([&parsed] { parsed.line.command = Command::other; });
  for (const Subcommand& action : command.actions) add_command(*added, action, parsed);
  if (command.add_options) command.add_options(*added);
  const bool has_settings = std::ranges::any_of(
      added->get_options(), [](const CLI::Option* option) { return is_setting(*option); });
  if (has_settings) add_config_option(*added);
  take_last(*added);
}

// The work of that command of these, or of its action, which was named below `above`.
std::function<int()> asked_work(const CLI::App& above, std::span<const Subcommand> commands,
                                std::vector<std::string> files) {
  const Subcommand& named = *std::ranges::find_if(
      commands, [&](const Subcommand& each) { return above.got_subcommand(each.name); });
  const CLI::App& command = *above.get_subcommand(named.name);
  if (!named.actions.empty()) {
    if (!command.get_subcommands().empty()) {
      return asked_work(command, named.actions, std::move(files));
    }
    throw UsageError(named.name + ": expected " + names_of(named.actions) + " (see --help)");
  }
  if (!files.empty() && !takes_files(command)) {
    throw UsageError(named.name + ": expected no files, found " + files.front() + " (see --help)");
  }
  return [run = named.run, files = std::move(files)] { return run(files); };
}

constexpr const char* kExamples =
    "  whisper-npu talk.wav\n"
    "  whisper-npu --language de --format srt,json --output-dir subtitles *.mp3\n"
    "  whisper-npu --recursive --format srt --beside talks/\n"
    "  whisper-npu models pull small\n"
    "  whisper-npu --model small --word-timestamps True --format json talk.m4a\n"
    "  ffmpeg -i film.mkv -f s16le -ac 1 -ar 16000 - |\n"
    "    whisper-npu --stdin-format s16le:16000:1 -\n";

std::string exit_codes() {
  std::string text = "Exit codes:\n";
  for (const ExitCodeText& each : exit_code_texts()) {
    std::string code = "  " + std::string(each.code);
    code.resize(11, ' ');
    text += code + std::string(each.meaning) + "\n";
  }
  text.pop_back();
  return text;
}

// All commands and options, whose values go to `parsed`. Returns transcribe.
CLI::App* declare(CLI::App& app, std::span<const Subcommand> others, Parsed& parsed) {
  Options& options = parsed.line.options;
  CLI::Option* version =
      app.add_flag("--version", parsed.wants_version, "Print what this build is");
  app.add_flag("--json", parsed.wants_json, "--version as JSON")->needs(version);
  app.require_subcommand(0, 1);
  app.footer(
      "Environment:\n"
      "  WNPU_ISA=" +
      CLI::detail::to_lower(CLI::detail::join(kernels::kInstructionSetNames, "|")) +
      "  Kernels of another instruction set\n"
      "  XDG_CACHE_HOME                                    Models are in its whisper-npu "
      "(~/.cache)\n"
      "  WHISPER_NPU_HUB=URL                               A mirror for models pull\n"
      "  XDG_CONFIG_HOME                                   whisper-npu/config.toml is in it "
      "(~/.config)\n"
      "  WHISPER_NPU_CONFIG                                Another configuration file; empty: "
      "none\n"
      "  WHISPER_NPU_<OPTION>                              For transcribe: WHISPER_NPU_BEAM_SIZE "
      "is "
      "--beam-size");
  CLI::App* transcribe = app.add_subcommand("transcribe", "Speech in files to text");
  transcribe->footer("Examples:\n" + std::string(kExamples) + "\n" + exit_codes());
  add_group(*transcribe, "Input", [&] { add_input_options(*transcribe, options); });
  add_group(*transcribe, "Manifests", [&] { add_manifest_options(*transcribe, options); });
  add_group(*transcribe, "Output", [&] { add_output_options(*transcribe, options); });
  add_work_options(*transcribe, options);
  options.bounds_host = true;
  add_group(*transcribe, "Model and device", [&] { add_pull_options(*transcribe, options); });
  add_group(*transcribe, "Subtitles",
            [&] { add_layout_options(*transcribe, options.layout, RulesFrom::names_and_files); });
  add_config_option(*transcribe);
  take_last(*transcribe);
  for (const Subcommand& other : others) add_command(app, other, parsed);
  add_config_command(app, parsed.config);
  return transcribe;
}

bool is_below(const CLI::App& command, const std::string& name) {
  return command.get_name() == name ||
         (command.get_parent() != nullptr && is_below(*command.get_parent(), name));
}

// Whether the command does work: what only tells something must do so whatever a file says.
bool needs_settings(const CommandWords& words) {
  const auto only_tells = [](const CLI::Option* option) {
    return option->check_lname("help") || option->check_lname("version");
  };
  return words.command != nullptr && !is_below(*words.command, "config") &&
         std::ranges::none_of(words.given, only_tells);
}

constexpr const char* kAbout =
    "Whisper speech recognition on CPUs, and on AMD XDNA NPUs (simulated so far)";

void parse_words(CLI::App& app, std::vector<std::string> words) {
  std::ranges::reverse(words);  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    throw;
  } catch (const CLI::ParseError& error) {
    throw UsageError(first_line(error.what()) + " (see --help)");
  }
}

void parse(std::span<const char* const> arguments, std::span<const Subcommand> others,
           const ConfigSources& surroundings, Parsed& parsed) {
  CommandLine& line = parsed.line;
  CLI::App app(kAbout, "whisper-npu");
  CLI::App* transcribe = declare(app, others, parsed);
  CommandWords words = sort_words(app, *transcribe, arguments);
  const ConfigPlace place = config_place(words.config, surroundings);
  if (needs_settings(words)) {
    const auto settings =
        that_count(settings_of(read_config(place), place.file.string(), app, *transcribe),
                   settings_of(surroundings, *transcribe), *words.command);
    add_settings(words, settings, line.origins);
  }
  try {
    parse_words(app, std::move(words.options));
  } catch (const CLI::CallForHelp&) {
    return set_text(app.help(), line);
  }
  if (parsed.wants_version) return set_text(version_text(parsed.wants_json), line);
  if (app.got_subcommand("config")) {
    if (!words.files.empty()) {
      throw UsageError("config: expected no files, found " + words.files.front());
    }
    return set_text(config_output(app, *transcribe, parsed.config, place, surroundings), line);
  }
  if (line.command == Command::other) {
    line.run = asked_work(app, others, std::move(words.files));
    return;
  }
  if (!app.got_subcommand(transcribe)) {
    throw UsageError("expected a file, - for stdin, or a command: " +
                     names_of(others, "transcribe") + " or config (see --help)");
  }
  line.notes = doubtful_variables(surroundings, *transcribe);
  for (const std::string& text : transcribe->get_option("--language")->results()) {
    if (!models::is_other_code(text)) continue;
    line.notes.push_back("--language " + text + " is taken as " + line.options.transcribe.language);
  }
  line.options.inputs = std::move(words.files);
  take_stdin_of_format(line.options);
  check(line.options);
}

}  // namespace

CommandLine parse_command_line(std::span<const char* const> arguments,
                               std::span<const Subcommand> others,
                               const ConfigSources& surroundings) {
  Parsed parsed;
  run_with_origins(parsed.line.origins, [&] {
    parse(arguments, others, surroundings, parsed);
    return 0;
  });
  return std::move(parsed.line);
}

std::string manual_page(std::span<const Subcommand> others) {
  Parsed parsed;
  CLI::App app(kAbout, "whisper-npu");
  declare(app, others, parsed)->footer("");  // sections of their own have what it says
  return manual_of(app, kExamples);
}

std::string completions(std::span<const Subcommand> others, const std::vector<std::string>& models,
                        Shell shell) {
  Parsed parsed;
  CLI::App app(kAbout, "whisper-npu");
  const CLI::App* const transcribe = declare(app, others, parsed);
  return completions_of(app, *transcribe, models, shell);
}

}  // namespace wnpu::app
