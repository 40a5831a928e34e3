#include "app/options/work_options.h"

#include <array>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/devices/device_names.h"
#include "app/engine/model_path.h"
#include "app/engine/option_check.h"
#include "app/options/exit_code.h"
#include "app/options/optimization.h"
#include "app/options/option_needs.h"
#include "app/options/option_values.h"
#include "app/options/ort_options.h"
#include "app/options/speaker_options.h"
#include "audio/read/error.h"
#include "audio/read/input.h"
#include "decoder/search/decode_options.h"
#include "models/weights/precision.h"
#include "npu/design/layer_abi.h"
#include "npu/plans/plan.h"
#include "npu/plans/split.h"

namespace wnpu::app {
namespace {

CLI::Validator is_no_gpu() {
  const auto check = [](const std::string& device) -> std::string {
    const bool is_gpu = device.starts_with("cuda") || device == "gpu" || device == "mps";
    return is_gpu ? "nothing runs on a GPU here, found " + device + ": write cpu, or leave it out"
                  : "";
  };
  return {check, ""};
}

CLI::Validator is_device() {
  const auto check = [](const std::string& device) -> std::string {
    try {
      parse_devices(device);
      return "";
    } catch (const Error& error) {  // "device: expected ...", whose option CLI11 names itself
      return std::string(error.what()).substr(error.option().size() + 2);
    }
  };
  return {check, ""};
}

void add_model_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "Name in the cache folder, or path")
      ->type_name(kModelType)
      ->capture_default_str();
  app.add_option("--model-dir", options.model_dir,
                 "Folder that --model's names are looked for in; the cache folder if not given")
      ->type_name("DIR");
  app.add_option("--device", options.device.requested,
                 "Where the encoder runs; sim: a simulated NPU; several share the work, the CPU in "
                 "front of them as well; auto says what it took")
      ->transform(is_no_gpu())  // before the check, for its better message
      ->check(is_device())
      ->type_name(device_forms())
      ->capture_default_str();
  // Before --precision, whose value counts where both are given.
  const auto set_fp16 = [&options](bool fp16) {
    if (!fp16) options.device.cpu_precision = "fp32";
  };
  add_bool(app, "--fp16", set_fp16, "False: --precision fp32; True: as --precision says")
      ->default_str("True");
  add_choice(
      app, "--gemm", {{kernels::kGemmNames.begin(), kernels::kGemmNames.end()}, "own"},
      [&options](const std::string& name) {
        if (name == "own") return;
        options.gemm = kernels::Gemm::blas;
        options.device.cpu_precision = "fp32";
      },
      "Who multiplies in fp32: our kernels, or OpenBLAS (libopenblas0), which makes the precision "
      "fp32");
  add_choice(
      app, "--precision", {with_auto(models::kPrecisionNames), "auto"},
      [&options](const std::string& name) { options.device.cpu_precision = name; },
      "What the CPU computes in: the decoder, and the encoder where it runs there; fp32: "
      "openai-whisper's text; int16, int8: faster; auto: int8, but fp32 on ARM without dot "
      "products");
  add_integer(app, "--threads", options.threads, {{0, 1024}, 0},
              "CPU threads; 0: as many as there are CPUs, which is the most");
}

void add_goal(CLI::App& app, Options& options) {
  add_name(
      app, "--optimize-for", kGoalNames, options.choices.optimize_for,
      "Chooses precision, beams, batch size and the NPU's plan where they are not given; --verbose "
      "and JSON say what");
}

void settle_goal(const CLI::App& app, Options& options) {
  const std::string goal = options.choices.optimize_for;
  if (goal.empty()) return;
  const auto is_given = [&app](std::string_view name) {
    return app.get_option(std::string(name))->count() > 0;
  };
  optimize_for(goal, is_given, options);
}

void add_npu_options(CLI::App& app, DeviceOptions& device) {
  add_name(
      app, "--npu-plan", npu::kPlanNames, device.plan,
      "Calls of the NPU a layer: fused 1, batched 7, hybrid 4 (rest on the CPU), per-op one a row");
  add_name(app, "--npu-precision", npu::kPrecisionNames, device.precision,
           "What the NPU computes in");
  app.add_option("--npu-plan-file", device.plan_file,
                 "A layer plan for the model's size (npu/lab/tune.py), in the place of both")
      ->type_name("FILE");
  add_size(
      app, "--memory-limit", device.memory_limit,
      "Of buffers on each NPU: weights of fewer layers are there at once. Of transcribe on the "
      "CPU: of the process. No limit if not given");
  add_preset(app, device.preset,
             "Whose times the simulator models: CLOCK/KERNELS; bench --plans says what they give");
  app.add_option("--npu-operator", device.npu_operator,
                 "An operator in the place of the NPU's own GELU, which JSON and a message tell")
      ->type_name("gelu=NAME");
  app.add_option("--operator", device.operators,
                 "The shared library that it comes from; repeatable")
      ->type_name("PATH");
  app.add_option("--xclbin", device.xclbin, "The NPU's overlay, with its manifest beside it")
      ->type_name("PATH");
  add_name(
      app, "--device-split", with_auto(npu::kSplitNames), device.split,
      "What several devices divide: windows of batches, layers, or heads, whose bits depend on how "
      "many devices there are; auto: by the time model");
  const NumberRange milliseconds{ranges::kMilliseconds};
  add_number(
      app, "--cpu-window-ms", device.cpu_window_ms, milliseconds,
      "With --device cpu,...: what a window takes the CPU; windows are dealt out by that. 0: "
      "modelled");
  add_number(app, "--npu-window-ms", device.npu_window_ms, milliseconds, "The same of each device");
  add_choice(
      app, "--fallback", {{"none", "cpu"}, "none"},
      [&device](const std::string& name) { device.falls_back = name == "cpu"; },
      "What to do where the device fails in the middle of a file, or ONNX Runtime's provider "
      "leaves "
      "nodes to others");
}

void add_device_groups(CLI::App& command, DeviceOptions& device) {
  add_group(command, "NPU", [&] { add_npu_options(command, device); });
  add_group(command, "ONNX Runtime", [&] { add_ort_options(command, device.ort); });
}

void add_task_options(CLI::App& app, TranscribeOptions& transcribe) {
  add_task(app, transcribe);
  add_language(app, transcribe, "Code or name of the language spoken; detected if not given");
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
  add_number(app, "--language-detection-threshold", transcribe.language_detection_threshold,
             {ranges::kProbability}, "A language at least this probable is taken at once");
  add_integer(app, "--language-detection-segments", transcribe.language_detection_segments,
              {ranges::kAtOnce}, "Windows with speech to look at where none is that probable");
  add_bool(app, "--multilingual", transcribe.multilingual,
           "Several languages in a recording: each is heard as it comes; --language, or the one "
           "detected, is the first. JSON says it of each segment");
  app.add_option_function<std::string>(
         "--clip-timestamps",
         [&transcribe](const std::string& text) { transcribe.clip_timestamps = parse_clips(text); },
         "Seconds to begin and end at, in pairs; the last end may be left out")
      ->type_name("START,END,...")
      ->default_str("0");
}

void add_search_options(CLI::App& app, TranscribeOptions& transcribe) {
  const IntegerRange at_once = {ranges::kAtOnce, 1};
  add_integer(app, "--beam-size", transcribe.beam_size, at_once,
              "Beams at temperature 0; 1, None: greedy");
  add_integer(app, "--best-of", transcribe.best_of, at_once, "Candidates at higher temperatures");
  add_number(app, "--patience", transcribe.patience, {ranges::kPatience, 1},
             "Beam search goes on to beam size x this");
  add_number_or_none(app, "--length-penalty", transcribe.length_penalty, {ranges::kAnyNumber},
                     "Exponent of the length penalty; None: average log-probability");
  add_number(app, "--temperature", transcribe.temperature, {ranges::kTemperature},
             "First temperature");
  add_number_or_none(app, "--temperature-increment-on-fallback",
                     transcribe.temperature_increment_on_fallback, {ranges::kTemperatureIncrement},
                     "Added where decoding has failed, up to 1; None: no second try");
  add_number_or_none(app, "--compression-ratio-threshold", transcribe.compression_ratio_threshold,
                     {ranges::kAnyNumber}, "Above this zlib ratio of the text decoding has failed");
  add_number_or_none(app, "--logprob-threshold", transcribe.logprob_threshold, {ranges::kAnyNumber},
                     "Below this average log-probability decoding has failed");
  add_number_or_none(app, "--no-speech-threshold", transcribe.no_speech_threshold,
                     {ranges::kAnyNumber},
                     "Silence: above this no-speech probability where decoding has failed");
  app.add_option_function<std::string>(
         "--suppress-tokens",
         [&transcribe](const std::string& text) {
           transcribe.suppress_tokens = parse_tokens(text);
         },
         "Token ids never produced; -1: most special characters")
      ->type_name("ID,...")
      ->default_str("-1");
  add_pool_padding(app, transcribe);
  add_integer(app, "--seed", transcribe.seed, {{0, std::numeric_limits<std::uint64_t>::max()}},
              "Starts the random numbers of sampling");
}

void add_vad_options(CLI::App& app, Options& options) {
  TranscribeOptions& transcribe = options.transcribe;
  add_integer(app, "--batch-size", transcribe.batch_size, {ranges::kAtOnce},
              "Windows decoded together; above 1: speech is found first, no text as a prompt, but "
              "of Chinese a sentence for simplified script and marks (--initial-prompt: another). "
              "Of a manifest's rows: how many are decoded together, each as if it were alone [8]");
  add_bool(
      app, "--vad", [&options](bool enabled) { options.vad = enabled; },
      "Decode only speech; True with --batch-size above 1 and the options below if neither this "
      "nor "
      "clips are given");
  VadOptions& vad = transcribe.vad;
  vad.weights = vad_weights_file();
  app.add_option("--vad-model", vad.weights, "Weights of the Silero detector")->type_name("PATH");
  add_number(app, "--vad-threshold", vad.threshold, {ranges::kProbability},
             "Speech from this probability on");
  add_number_or_none(app, "--vad-neg-threshold", vad.neg_threshold, {ranges::kAnyNumber},
                     "Silence below this; None: 0.15 below the threshold");
  add_number(app, "--vad-min-speech-duration-ms", vad.min_speech_duration_ms,
             {ranges::kMilliseconds}, "Shorter speech is dropped");
  add_number_or_none(app, "--vad-min-silence-duration-ms", vad.min_silence_duration_ms,
                     {ranges::kMilliseconds},
                     "Shorter silence does not end speech; None: 2000, in batches 160");
  add_number(app, "--vad-speech-pad-ms", vad.speech_pad_ms, {ranges::kMilliseconds},
             "Taken around speech");
}

void add_restraint_options(CLI::App& app, TranscribeOptions& transcribe) {
  add_number(app, "--repetition-penalty", transcribe.repetition_penalty,
             {ranges::kRepetitionPenalty}, "Above 1: tokens that came already become less likely");
  add_integer(app, "--no-repeat-ngram-size", transcribe.no_repeat_ngram_size, {ranges::kTokens},
              "No sequence of this many tokens twice; 0: off");
  add_integer(app, "--max-tokens", transcribe.sample_len, {ranges::kTokens},
              "Tokens a window; 0: half the context");
}

void add_word_options(CLI::App& app, TranscribeOptions& transcribe) {
  add_bool(app, "--word-timestamps", transcribe.word_timestamps,
           "Start, end and probability of every word");
  app.add_option("--prepend-punctuations", transcribe.prepend_punctuations,
                 "Marks that belong to the word after them")
      ->capture_default_str()
      ->type_name("MARKS");
  app.add_option("--append-punctuations", transcribe.append_punctuations,
                 "Marks that belong to the word before them")
      ->capture_default_str()
      ->type_name("MARKS");
  add_number_or_none(app, "--hallucination-silence-threshold",
                     transcribe.hallucination_silence_threshold, {ranges::kAnyNumber},
                     "With word timestamps: drop improbable words beside a silence this long");
}

// Moves --batch-size to the number of rows decoded together, each as if it were alone.
void settle_rows(const CLI::App& command, Options& options) {
  if (options.manifest.file.empty()) return;
  if (command.get_option("--batch-size")->count() > 0) {
    options.rows.n_together = options.transcribe.batch_size;
  }
  options.transcribe.batch_size = 1;
}

// Batches are made of clips of speech, so that they are the default there (faster-whisper's
// BatchedInferencePipeline), unless clips are given. So they are beside options of the detector.
void settle_vad(const CLI::App& command, Options& options) {
  TranscribeOptions& transcribe = options.transcribe;
  const bool batched = transcribe.batch_size > 1;
  const bool clipped = has_clips(transcribe);
  transcribe.vad.enabled = options.vad.value_or(!clipped && (batched || asks_for_vad(command)));
  if (transcribe.vad.enabled && clipped) {
    throw UsageError("--clip-timestamps and --vad True exclude each other");
  }
  if (batched && !transcribe.vad.enabled && !clipped) {
    throw UsageError(
        "--batch-size above 1 needs --vad True or --clip-timestamps: it decodes "
        "stretches of a file side by side");
  }
}

}  // namespace

void add_task(CLI::App& command, TranscribeOptions& transcribe) {
  add_choice(
      command, "--task",
      {{decoder::kTaskNames.begin(), decoder::kTaskNames.end()}, decoder::kTaskNames.front()},
      [&transcribe](const std::string& name) {
        transcribe.task = name == "translate" ? Task::translate : Task::transcribe;
      },
      "translate: to English");
}

void add_language(CLI::App& command, TranscribeOptions& transcribe, const std::string& help) {
  command
      .add_option_function<std::string>(
          "--language",
          [&transcribe](const std::string& text) { transcribe.language = language_code(text); },
          help)
      ->type_name("LANGUAGE")
      ->default_str("auto");
}

void add_pool_padding(CLI::App& command, TranscribeOptions& transcribe) {
  add_bool(
      command, "--pool-padding", transcribe.pool_padding,
      "The encoder takes six positions of the silence that fills a window up for one: sooner "
      "where audio is short. It changes words, and may lose those of a short recording. On the "
      "CPU");
}

void add_row_options(CLI::App& command, RowLimits& rows) {
  add_number(command, "--batch-seconds", rows.seconds_together, {{1, 1e6}},
             "Seconds of audio of the rows that are decoded together; a longer row is alone");
  add_choice(
      command, "--order", {{"input", "done"}, "input"},
      [&rows](const std::string& name) {
        rows.order = name == "done" ? RowOrder::done : RowOrder::input;
      },
      "Results in the rows' order, or each as soon as it is done");
  add_integer(command, "--max-attempts", rows.max_attempts, {{1, 100}},
              "Of a row that kills the process which works on it, or hangs");
  add_number(
      command, "--row-timeout", rows.timeout_s, {{0, 1e8}},
      "Seconds without an answer after which rows at work hang: their process is killed, and "
      "each is tried alone; 0: none hangs");
  add_number(command, "--row-timeout-factor", rows.timeout_factor, {{0, 1e6}},
             "Seconds more for each second of audio at work; a row without a duration counts 600");
}

CLI::Option* add_stdin_format(CLI::App& command, std::string& target, const std::string& help) {
  const auto take = [&target](const std::string& text) {
    try {
      audio::parse_raw_format(text);
    } catch (const audio::AudioError& error) {
      throw CLI::ValidationError("--stdin-format", error.what());
    }
    target = text;
  };
  return command.add_option_function<std::string>("--stdin-format", take, help)
      ->type_name("FORMAT:RATE:CHANNELS");
}

void add_pull_options(CLI::App& app, Options& options) {
  CLI::Option* const yes = app.add_flag(
      "--yes", options.yes, "Pull a model that is not there, as models pull does, without asking");
  app.add_flag("--offline", options.offline,
               "Use no network: pull no model, fetch no recording; say what is missing")
      ->excludes(yes);
}

void add_url_options(CLI::App& command, Options& options) {
  command.add_flag("--allow-urls", options.allows_urls,
                   "Fetch URLs among several files and in rows, too");
  add_size(command, "--max-download", options.max_download,
           "Of a recording that is fetched; 4G if not given");
}

void add_place_options(CLI::App& command, Options& options) {
  add_group(command, "Model and device", [&] { add_model_options(command, options); });
  add_device_groups(command, options.device);
  command.parse_complete_callback([&command, &options] { check_needs(command, options); });
}

void add_work_options(CLI::App& command, Options& options) {
  add_group(command, "Model and device", [&] {
    add_model_options(command, options);
    add_goal(command, options);
  });
  add_group(command, "Language and prompts",
            [&] { add_task_options(command, options.transcribe); });
  add_group(command, "Words", [&] { add_word_options(command, options.transcribe); });
  add_group(command, "Speakers", [&] { add_speaker_options(command, options.transcribe); });
  add_group(command, "Speech detection and batches", [&] { add_vad_options(command, options); });
  add_group(command, "Search", [&] {
    add_search_options(command, options.transcribe);
    add_restraint_options(command, options.transcribe);
  });
  add_device_groups(command, options.device);
  command.parse_complete_callback([&command, &options] {
    settle_goal(command, options);
    settle_rows(command, options);
    settle_vad(command, options);
    turn_on_words(command, options);
    check_needs(command, options);
  });
}

}  // namespace wnpu::app
