#include "app/stream/stream_options.h"

#include <CLI/CLI.hpp>

#include "app/engine/model_path.h"
#include "app/engine/option_check.h"
#include "app/options/option_values.h"
#include "app/options/output_options.h"
#include "app/options/speaker_options.h"
#include "app/options/work_options.h"

namespace wnpu::app {
namespace {

constexpr std::array kFormatNames{kLines, kJsonLines};
constexpr std::array kPaceNames{kLivePace, kAudioPace};
constexpr Range<double> kChunkSeconds = {0.1, 10};
constexpr Range<double> kLookaheadSeconds = {0, 10};
constexpr Range<double> kBufferSeconds = {5, 25};
constexpr Range<double> kPauseMilliseconds = {100, 10000};
constexpr Range<double> kPadMilliseconds = {0, 5000};

void add_input(CLI::App& app, StreamOptions& options) {
  CLI::Option* const format =
      add_stdin_format(app, options.work.stdin_format,
                       "stdin is raw samples, e.g. s16le:16000:1; a WAV if not given");
  app.add_option("--device-input", options.device_input,
                 "Listen to a device of ALSA instead: default, pulse, hw:1, ...")
      ->excludes(format)
      ->type_name("NAME");
  add_name(app, "--pace", kPaceNames, options.pace,
           "live: a hypothesis that is late is left out; audio: none is, so that the same audio "
           "gives the same events on every machine, however fast it comes");
}

void add_output(CLI::App& app, StreamOptions& options) {
  add_name(app, "-f,--format", kFormatNames, options.format,
           "text: final words as they come, a line a pause; jsonl: an event a line, by "
           "stream.schema.json (in share/whisper-npu/schemas)");
  app.add_flag_callback(
      "-q,--quiet", [&options] { options.work.verbosity = Verbosity::quiet; },
      "Only errors on stderr");
  add_log_format(app, options.work.log_format);
}

void add_latency(CLI::App& app, StreamOptions& options) {
  LiveOptions& live = options.live;
  add_number(app, "--min-chunk", live.chunk_s, {kChunkSeconds},
             "Seconds of speech from one hypothesis to the next; what two begin with alike is "
             "final: fewer are sooner, and more work");
  add_number(app, "--lookahead", live.lookahead_s, {kLookaheadSeconds},
             "Seconds that must be heard behind a word before it is final: more are later, and "
             "fewer errors");
  add_number(app, "--buffer", live.buffer_s, {kBufferSeconds},
             "Seconds of audio that hypotheses hear, before it is cut at the end of a sentence");
  const auto from_ms = [](double& seconds) {
    return [&seconds](double ms) { seconds = ms / 1000; };
  };
  const auto add_ms = [&](const std::string& name, double& seconds, const Range<double>& range,
                          const std::string& help) {
    app.add_option_function<std::string>(
           name,
           [set = from_ms(seconds), name, range](const std::string& text) {
             set(parse_number(name, text, {range}));
           },
           help)
        ->type_name("X")
        ->default_str(std::to_string(static_cast<int>(seconds * 1000)));
  };
  add_ms("--vad-min-silence-duration-ms", live.pause_s, kPauseMilliseconds,
         "Silence after which all that was said is final");
  add_ms("--vad-speech-pad-ms", live.pad_s, kPadMilliseconds, "Taken before speech");
  app.add_option_function<std::string>(
         "--vad-model",
         [&options](const std::string& path) {
           options.work.transcribe.vad.weights = path;
           options.is_vad_model_given = true;
         },
         "Weights of the Silero detector; where none are in the cache folder, loudness tells")
      ->type_name("PATH");
  add_number(app, "--vad-threshold", live.threshold, {ranges::kProbability},
             "Speech from this probability on");
  add_number_or_none(app, "--vad-neg-threshold", live.neg_threshold, {ranges::kProbability},
                     "Silence below this, where it is no speech; None: the threshold - 0.15, at "
                     "least 0.01");
}

void add_decoding(CLI::App& app, TranscribeOptions& transcribe) {
  add_language(app, transcribe,
               "Code or name of the language spoken; that of the first words if not given");
  add_task(app, transcribe);
  app.add_option("--initial-prompt", transcribe.initial_prompt, "Text before the first words")
      ->type_name("TEXT");
  app.add_option("--hotwords", transcribe.hotwords, "Words that are likely, before every prompt")
      ->type_name("TEXT");
  add_bool(app, "--condition-on-previous-text", transcribe.condition_on_previous_text,
           "What was said before the audio at hand is the prompt");
  add_pool_padding(app, transcribe);
  add_integer(app, "--beam-size", transcribe.beam_size, {ranges::kAtOnce, 1},
              "Beams; 1, None: greedy");
  add_number_or_none(app, "--compression-ratio-threshold", transcribe.compression_ratio_threshold,
                     {ranges::kAnyNumber}, "Above this zlib ratio a hypothesis does not count");
  add_number_or_none(app, "--logprob-threshold", transcribe.logprob_threshold, {ranges::kAnyNumber},
                     "Below this average log-probability a hypothesis does not count");
  add_number_or_none(app, "--no-speech-threshold", transcribe.no_speech_threshold,
                     {ranges::kAnyNumber},
                     "Silence: above this no-speech probability, where the one above fails");
}

}  // namespace

StreamOptions::StreamOptions() {
  work.transcribe.vad.enabled = true;
  work.transcribe.vad.weights = vad_weights_file();
}

void add_stream_options(CLI::App& command, StreamOptions& options) {
  add_group(command, "Input", [&] { add_input(command, options); });
  add_group(command, "Output", [&] { add_output(command, options); });
  add_place_options(command, options.work);
  add_group(command, "Latency and speech detection", [&] { add_latency(command, options); });
  add_group(command, "Speakers",
            [&] { add_voice_options(command, options.work.transcribe.speakers); });
  add_group(command, "Decoding", [&] { add_decoding(command, options.work.transcribe); });
}

}  // namespace wnpu::app
