#include "app/options.h"

#include <algorithm>
#include <functional>

#include <CLI/CLI.hpp>

#include "app/exit_code.h"
#include "app/model_path.h"
#include "app/option_values.h"
#include "app/version.h"
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

void add_model_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "Name in the cache folder, or path")
      ->type_name("NAME|PATH")
      ->capture_default_str();
  app.add_option("--device", options.device.requested,
                 "Where the encoder runs; sim: a simulated NPU; auto says what it took")
      ->check(one_of({"auto", "cpu", "npu", "sim"}))
      ->type_name("auto|cpu|npu|sim")
      ->capture_default_str();
  app.add_option("--threads", options.threads, "CPU threads; 0: as many as there are")
      ->check(CLI::Range(0, 1024).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void add_npu_options(CLI::App& app, DeviceOptions& device) {
  app.add_option_function<std::string>(
         "--npu-plan", [&device](const std::string& name) { device.plan = *npu::find_plan(name); },
         "Calls of the NPU a layer: fused 1, batched 7, hybrid 4 (rest on the CPU), per-op one a "
         "row")
      ->check(one_of({"fused", "batched", "hybrid", "per-op"}))
      ->type_name("fused|batched|hybrid|per-op")
      ->default_str("fused");
  app.add_option_function<std::string>(
         "--npu-precision",
         [&device](const std::string& name) {
           device.precision = name == "int8" ? npu::Precision::int8 : npu::Precision::bf16;
         },
         "What the NPU computes in")
      ->check(one_of({"bf16", "int8"}))
      ->type_name("bf16|int8")
      ->default_str("bf16");
  app.add_option("--npu-preset", device.preset, "Whose times the simulator models: CLOCKS/KERNELS")
      ->type_name("PRESET")
      ->capture_default_str();
  app.add_option("--xclbin", device.xclbin, "The NPU's overlay, with its manifest beside it")
      ->type_name("PATH");
  app.add_option_function<std::string>(
         "--fallback", [&device](const std::string& name) { device.falls_back = name == "cpu"; },
         "What to do where the NPU fails in the middle of a file")
      ->check(one_of({"none", "cpu"}))
      ->type_name("none|cpu")
      ->default_str("none");
}

void add_task_options(CLI::App& app, TranscribeOptions& transcribe) {
  app.add_option_function<std::string>(
         "--task",
         [&transcribe](const std::string& text) {
           transcribe.task =
               text == "translate" ? decoder::Task::translate : decoder::Task::transcribe;
         },
         "translate: to English")
      ->check(one_of({"transcribe", "translate"}))
      ->type_name("transcribe|translate")
      ->default_str("transcribe");
  app.add_option_function<std::string>(
         "--language",
         [&transcribe](const std::string& text) { transcribe.language = language_code(text); },
         "Code or name of the language spoken; detected if not given")
      ->type_name("LANGUAGE")
      ->default_str("auto");
  app.add_flag("--no-timestamps", transcribe.without_timestamps, "Decode without timestamps");
  app.add_option("--initial-prompt", transcribe.initial_prompt, "Text before the first window")
      ->type_name("TEXT");
  add_bool(app, "--carry-initial-prompt", transcribe.carry_initial_prompt,
           "The initial prompt comes before every window");
  add_bool(app, "--condition-on-previous-text", transcribe.condition_on_previous_text,
           "The text of a window is the prompt of the next");
  app.add_option("--hotwords", transcribe.hotwords, "Words that are likely, before every prompt")
      ->type_name("TEXT");
  app.add_option("--prefix", transcribe.prefix, "What the first window's text begins with")
      ->type_name("TEXT");
  add_number(app, "--language-detection-threshold", transcribe.language_detection_threshold, {0, 1},
             "A language at least this probable is taken at once");
  add_count(app, "--language-detection-segments", transcribe.language_detection_segments,
            "Windows to look at where none is that probable");
  app.add_option_function<std::string>(
         "--clip-timestamps",
         [&transcribe](const std::string& text) { transcribe.clip_timestamps = parse_clips(text); },
         "Seconds to begin and end at, in pairs; the last end may be left out")
      ->type_name("START,END,...")
      ->default_str("0");
}

void add_search_options(CLI::App& app, TranscribeOptions& transcribe) {
  add_count(app, "--beam-size", transcribe.beam_size, "Beams at temperature 0; 1: greedy");
  add_count(app, "--best-of", transcribe.best_of, "Candidates at higher temperatures");
  add_number(app, "--patience", transcribe.patience, {0.1, 100},
             "Beam search goes on to beam size x this");
  add_number_or_none(app, "--length-penalty", transcribe.length_penalty,
                     "Exponent of the length penalty; None: average log-probability");
  add_number(app, "--temperature", transcribe.temperature, {0, 1}, "First temperature");
  add_number_or_none(app, "--temperature-increment-on-fallback",
                     transcribe.temperature_increment_on_fallback,
                     "Added where decoding has failed, up to 1; None: no second try");
  add_number_or_none(app, "--compression-ratio-threshold", transcribe.compression_ratio_threshold,
                     "Above this zlib ratio of the text decoding has failed");
  add_number_or_none(app, "--logprob-threshold", transcribe.logprob_threshold,
                     "Below this average log-probability decoding has failed");
  add_number_or_none(app, "--no-speech-threshold", transcribe.no_speech_threshold,
                     "Silence: above this no-speech probability where decoding has failed");
  app.add_option_function<std::string>(
         "--suppress-tokens",
         [&transcribe](const std::string& text) {
           transcribe.suppress_tokens = parse_tokens(text);
         },
         "Token ids never produced; -1: most special characters")
      ->type_name("ID,...")
      ->default_str("-1");
  app.add_option("--seed", transcribe.seed, "Starts the random numbers of sampling")
      ->capture_default_str();
}

void add_vad_options(CLI::App& app, Options& options) {
  TranscribeOptions& transcribe = options.transcribe;
  add_count(app, "--batch-size", transcribe.batch_size,
            "Windows decoded together; above 1: speech is found first, no text as a prompt");
  app.add_option_function<std::string>(
         "--vad",
         [&options](const std::string& text) { options.vad = text == "True" || text == "true"; },
         "Decode only speech; True with --batch-size above 1 if not given")
      ->check(one_of({"True", "False", "true", "false"}))
      ->type_name("True|False");
  transcribe.vad.weights = model_folder() / "silero_vad" / "silero_vad_16k.safetensors";
  app.add_option("--vad-model", transcribe.vad.weights, "Weights of the Silero detector")
      ->type_name("PATH");
  audio::VadOptions& vad = transcribe.vad.thresholds;
  add_number(app, "--vad-threshold", vad.threshold, {0, 1}, "Speech from this probability on");
  add_number_or_none(app, "--vad-neg-threshold", vad.neg_threshold,
                     "Silence below this; None: 0.15 below the threshold");
  add_number(app, "--vad-min-speech-duration-ms", vad.min_speech_duration_ms, {0, 1e6},
             "Shorter speech is dropped");
  add_number_or_none(app, "--vad-min-silence-duration-ms", transcribe.vad.min_silence_duration_ms,
                     "Shorter silence does not end speech; None: 2000, in batches 160");
  add_number(app, "--vad-speech-pad-ms", vad.speech_pad_ms, {0, 1e6}, "Taken around speech");
}

void add_restraint_options(CLI::App& app, TranscribeOptions& transcribe) {
  add_number(app, "--repetition-penalty", transcribe.repetition_penalty, {0.1, 10},
             "Above 1: tokens that came already become less likely");
  app.add_option("--no-repeat-ngram-size", transcribe.no_repeat_ngram_size,
                 "No sequence of this many tokens twice; 0: off")
      ->capture_default_str();
  app.add_option("--max-tokens", transcribe.sample_len, "Tokens a window; 0: half the context")
      ->check(CLI::Range(0, 224).description(""))
      ->capture_default_str();
}

void add_word_options(CLI::App& app, Options& options) {
  TranscribeOptions& transcribe = options.transcribe;
  add_bool(app, "--word-timestamps", transcribe.word_timestamps,
           "Start, end and probability of every word");
  app.add_option("--prepend-punctuations", transcribe.punctuation.prepend,
                 "Marks that belong to the word after them")
      ->type_name("MARKS");
  app.add_option("--append-punctuations", transcribe.punctuation.append,
                 "Marks that belong to the word before them")
      ->type_name("MARKS");
  add_number_or_none(app, "--hallucination-silence-threshold",
                     transcribe.hallucination_silence_threshold,
                     "With word timestamps: drop improbable words beside a silence this long");
  SubtitleLayout& layout = options.layout;
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

// Batches are made of stretches of speech, so that they are the default there (faster-whisper's
// BatchedInferencePipeline).
void settle_vad(Options& options) {
  TranscribeOptions& transcribe = options.transcribe;
  const bool batched = transcribe.batch_size > 1;
  transcribe.vad.enabled = options.vad.value_or(batched);
  const bool has_clips = transcribe.clip_timestamps != std::vector<double>{0};
  if (transcribe.vad.enabled && has_clips) {
    throw UsageError("--clip-timestamps and voice activity detection exclude each other");
  }
  if (batched && !transcribe.vad.enabled && !has_clips) {
    throw UsageError(
        "--batch-size above 1 needs --vad True or --clip-timestamps: it decodes "
        "stretches of a file side by side");
  }
}

// What CLI11 cannot say. Messages for formats to stdout are in output_plan.cpp.
void check(const Options& options) {
  const auto n_stdin = std::count(options.inputs.begin(), options.inputs.end(), "-");
  if (n_stdin > 1) throw UsageError("- (stdin) can be read once only");
  if (options.stdin_format && n_stdin == 0) {
    throw UsageError("--stdin-format is for stdin: give - as a file");
  }
  const SubtitleLayout& layout = options.layout;
  const bool needs_words = options.transcribe.hallucination_silence_threshold ||
                           layout.max_line_width || layout.max_line_count ||
                           layout.max_words_per_line || layout.highlight_words;
  if (needs_words && !options.transcribe.word_timestamps) {
    throw UsageError(
        "--hallucination-silence-threshold, --max-line-width, --max-line-count, "
        "--max-words-per-line and --highlight-words need --word-timestamps True");
  }
  if (!options.output.empty() && !options.output_dir.empty()) {
    throw UsageError("--output and --output-dir exclude each other");
  }
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

}  // namespace

CommandLine parse_command_line(std::span<const char* const> arguments) {
  CommandLine line;
  bool wants_version = false;
  bool wants_json = false;
  CLI::App app("Whisper speech recognition on AMD XDNA NPUs and CPUs", "whisper-npu");
  CLI::Option* version = app.add_flag("--version", wants_version, "Print what this build is");
  app.add_flag("--json", wants_json, "--version as JSON")->needs(version);
  app.require_subcommand(0, 1);
  CLI::App* transcribe = app.add_subcommand("transcribe", "Speech in files to text");
  add_input_options(*transcribe, line.options);
  add_model_options(*transcribe, line.options);
  add_npu_options(*transcribe, line.options.device);
  add_task_options(*transcribe, line.options.transcribe);
  add_search_options(*transcribe, line.options.transcribe);
  add_restraint_options(*transcribe, line.options.transcribe);
  add_word_options(*transcribe, line.options);
  add_vad_options(*transcribe, line.options);
  add_output_options(*transcribe, line.options);

  std::vector<std::string> words = with_dashes(arguments);
  std::reverse(words.begin(), words.end());  // as CLI11 wants them
  try {
    app.parse(std::move(words));
  } catch (const CLI::CallForHelp&) {
    return {Command::print, {}, app.help()};
  } catch (const CLI::ParseError& error) {
    throw UsageError(first_line(error.what()) + " (see --help)");
  }
  if (wants_version) return {Command::print, {}, version_text(wants_json)};
  if (!app.got_subcommand(transcribe)) {
    throw UsageError("a command is required: transcribe (see --help)");
  }
  settle_vad(line.options);
  check(line.options);
  return line;
}

}  // namespace wnpu::app
