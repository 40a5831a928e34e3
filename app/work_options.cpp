#include "app/work_options.h"

#include <string>
#include <vector>

#include "app/exit_code.h"
#include "app/model_path.h"
#include "app/option_values.h"

namespace wnpu::app {
namespace {

void add_model_options(CLI::App& app, Options& options) {
  app.add_option("--model", options.model, "Name in the cache folder, or path")
      ->type_name("NAME|PATH")
      ->capture_default_str();
  app.add_option("--device", options.device.requested,
                 "Where the encoder runs; sim: a simulated NPU; auto says what it took")
      ->check(one_of({"auto", "cpu", "npu", "sim"}))
      ->type_name("auto|cpu|npu|sim")
      ->capture_default_str();
  app.add_option_function<std::string>(
         "--precision",
         [&options](const std::string& name) {
           options.device.cpu_precision =
               models::parse_precision(name).value_or(models::auto_precision());
         },
         "What the CPU computes in: the decoder, and the encoder where it runs there; fp32: "
         "openai-whisper's text; int16, int8: faster; auto: int8 on CPUs with AVX512-VNNI and "
         "VBMI, "
         "else fp32")
      ->check(one_of({"auto", "fp32", "int16", "int8"}))
      ->type_name("auto|fp32|int16|int8")
      ->default_str("auto");
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

void add_word_options(CLI::App& app, TranscribeOptions& transcribe) {
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

}  // namespace

void add_work_options(CLI::App& command, Options& options) {
  add_model_options(command, options);
  add_npu_options(command, options.device);
  add_task_options(command, options.transcribe);
  add_search_options(command, options.transcribe);
  add_restraint_options(command, options.transcribe);
  add_word_options(command, options.transcribe);
  add_vad_options(command, options);
}

void settle_work_options(Options& options) {
  settle_vad(options);
  const TranscribeOptions& transcribe = options.transcribe;
  if (transcribe.hallucination_silence_threshold && !transcribe.word_timestamps) {
    throw UsageError("--hallucination-silence-threshold needs --word-timestamps True");
  }
}

}  // namespace wnpu::app
