// Values of the engine's options: what is refused, by which name, and that the command line agrees.
#include "app/engine/option_check.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <sstream>
#include <string>

#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/engine/devices/device_choice.h"
#include "app/options/exit_code.h"
#include "tests/app/engine/engine_fixture.h"
#include "tests/support/model_run.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The ranges that whisper_npu.hpp documents, and the command line's option.
template <typename Number>
struct Field {
  std::string name;
  std::string option;  // empty: none
  Number first;
  Number last;
  std::function<void(TranscribeOptions&, Number)> set;
};

#define NUMBER(field, option, first, last)                                            \
  Field<double> {                                                                     \
#field, option, first, last, [](TranscribeOptions & o, double v) { o.field = v; } \
  }
#define INTEGER(field, option, first, last)                                                  \
  Field<std::uint64_t> {                                                                     \
#field, option, first, last, [](TranscribeOptions & o, std::uint64_t v) { o.field = v; } \
  }

const std::vector<Field<double>>& numbers() {
  static const std::vector<Field<double>> kFields = {
      NUMBER(patience, "--patience", 0.1, 100),
      NUMBER(length_penalty, "--length-penalty", -1e9, 1e9),
      NUMBER(repetition_penalty, "--repetition-penalty", 0.1, 10),
      NUMBER(temperature, "--temperature", 0, 1),
      NUMBER(temperature_increment_on_fallback, "--temperature-increment-on-fallback", 0.01, 1),
      NUMBER(compression_ratio_threshold, "--compression-ratio-threshold", -1e9, 1e9),
      NUMBER(logprob_threshold, "--logprob-threshold", -1e9, 1e9),
      NUMBER(no_speech_threshold, "--no-speech-threshold", -1e9, 1e9),
      NUMBER(max_initial_timestamp, "", 0, 30),
      NUMBER(vad.threshold, "--vad-threshold", 0, 1),
      NUMBER(vad.neg_threshold, "--vad-neg-threshold", -1e9, 1e9),
      NUMBER(vad.min_speech_duration_ms, "--vad-min-speech-duration-ms", 0, 1e6),
      NUMBER(vad.max_speech_duration_s, "", 1, 1e6),
      NUMBER(vad.min_silence_duration_ms, "--vad-min-silence-duration-ms", 0, 1e6),
      NUMBER(vad.speech_pad_ms, "--vad-speech-pad-ms", 0, 1e6),
      NUMBER(language_detection_threshold, "--language-detection-threshold", 0, 1),
      NUMBER(hallucination_silence_threshold, "--hallucination-silence-threshold", -1e9, 1e9),
      Field<double>{"clip_timestamps", "--clip-timestamps", 0, 1e8,
                    [](TranscribeOptions& o, double v) { o.clip_timestamps = {v}; }}};
  return kFields;
}

const std::vector<Field<std::uint64_t>>& integers() {
  static const std::vector<Field<std::uint64_t>> kFields = {
      INTEGER(beam_size, "--beam-size", 1, 64),
      INTEGER(best_of, "--best-of", 1, 64),
      INTEGER(no_repeat_ngram_size, "--no-repeat-ngram-size", 0, 224),
      INTEGER(sample_len, "--max-tokens", 0, 224),
      INTEGER(batch_size, "--batch-size", 1, 64),
      INTEGER(language_detection_segments, "--language-detection-segments", 1, 64)};
  return kFields;
}

// 0, negative, NaN, infinite, huge, tiny, and both sides of each border.
std::vector<double> hostile(const Field<double>& field) {
  return {0,
          -0.0,
          -1,
          kNan,
          -kNan,
          kInfinity,
          -kInfinity,
          1e300,
          -1e300,
          std::numeric_limits<double>::denorm_min(),
          field.first,
          field.last,
          std::nextafter(field.first, -kInfinity),
          std::nextafter(field.last, kInfinity)};
}

std::vector<std::uint64_t> hostile(const Field<std::uint64_t>& field) {
  return {0,
          1,
          field.first,
          field.last,
          field.last + 1,
          std::uint64_t{1} << 32U,
          std::numeric_limits<std::uint64_t>::max()};
}

// The error of a check, as the command line would print it; empty: none.
std::string check_refusal(const TranscribeOptions& options, const std::string& field) {
  try {
    app::check_options(options);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::usage);
    CHECK(error.option() == field);
    CHECK(std::string(error.what()).starts_with(field));
    return app::text_of(error);
  }
  return "";
}

std::string refusal_of_command_line(const std::string& option, const std::string& value) {
  const std::string word = option + "=" + value;
  try {
    app::parse_command_line(std::vector<const char*>{"transcribe", word.c_str(), "a.wav"});
  } catch (const app::UsageError& error) {
    const std::string text = error.what();
    return text.substr(0, text.find(" (see --help)"));
  }
  return "";
}

template <typename Number>
void check_field(const Field<Number>& field) {
  for (const Number value : hostile(field)) {
    CAPTURE(field.name);
    CAPTURE(value);
    TranscribeOptions options;
    options.vad.enabled = field.name == "batch_size";  // what it needs
    field.set(options, value);
    const std::string found = check_refusal(options, field.name);
    const bool is_taken = value >= field.first && value <= field.last;
    CHECK(found.empty() == is_taken);
    std::ostringstream text;
    text << value;
    // Messages have six digits, and with them a value just outside may be inside.
    const auto shown = static_cast<Number>(std::stold(text.str()));
    const bool is_exact = shown == value || value != value;
    if (is_taken || field.option.empty() || !is_exact) continue;
    CHECK(found == refusal_of_command_line(field.option, text.str()));
  }
}

}  // namespace

TEST_CASE("option check: what is out of range is refused by its name, as the command line does") {
  app::check_options(TranscribeOptions());
  for (const auto& field : numbers()) check_field(field);
  for (const auto& field : integers()) check_field(field);
}

TEST_CASE("option check: none, tasks, clips and stretches") {
  TranscribeOptions none;
  none.length_penalty.reset();
  none.temperature_increment_on_fallback.reset();
  none.compression_ratio_threshold.reset();
  none.logprob_threshold.reset();
  none.no_speech_threshold.reset();
  none.max_initial_timestamp.reset();
  none.clip_timestamps.clear();
  none.suppress_tokens.clear();
  CHECK(check_refusal(none, "").empty());

  TranscribeOptions options;
  options.task = static_cast<Task>(2);
  CHECK_FALSE(check_refusal(options, "task").empty());
  options = {};
  options.clip_timestamps = {3, 2};
  CHECK_FALSE(check_refusal(options, "clip_timestamps").empty());
  options.clip_timestamps = {1, 2, 2, 3, 3};
  CHECK(check_refusal(options, "").empty());
  options.temperatures = {0, 1, 0.5};
  CHECK(check_refusal(options, "").empty());
  options.temperatures = {0, 1.5};
  CHECK_FALSE(check_refusal(options, "temperatures").empty());
  options.temperatures.clear();
  options.vad.enabled = true;
  CHECK_FALSE(check_refusal(options, "clip_timestamps").empty());
  options.clip_timestamps = {0};
  CHECK(check_refusal(options, "").empty());
  options = {};
  options.batch_size = 2;
  CHECK_FALSE(check_refusal(options, "batch_size").empty());
  options.clip_timestamps = {0, 5};
  CHECK(check_refusal(options, "").empty());
}

TEST_CASE("option check: a session refuses before it opens the audio") {
  const tests::EngineFixture f;
  Session session(f.model());
  const auto option_of = [&](const TranscribeOptions& options, const Audio& audio) {
    try {
      session.transcribe(audio, options);
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::usage);
      return std::string(error.option());
    }
    return std::string("none");
  };
  const Audio missing = {.path = "/none.wav"};
  for (const auto& field : numbers()) {
    TranscribeOptions options = f.options;
    field.set(options, kNan);
    CHECK(option_of(options, missing) == field.name);
  }
  TranscribeOptions options = f.options;
  options.suppress_tokens = {1000000};
  CHECK(option_of(options, missing) == "suppress_tokens");
  options = f.options;
  options.language = "klingon";
  CHECK(option_of(options, missing) == "language");
  Audio both = Audio::from_samples(f.samples);
  both.path = "/none.wav";
  CHECK(option_of(f.options, both) == "audio");
  CHECK_THROWS_AS(Model(f.path().string(), {.device = {.preset = "none/none"}}), Error);
}

TEST_CASE("option check: samples beyond -1 to 1 are cut off; what is no number is refused") {
  const tests::EngineFixture f;
  Session session(f.model());
  std::vector<float> loud = f.samples;
  for (float& s : loud) s *= 5;
  std::vector<float> cut = loud;
  for (float& s : cut) s = std::clamp(s, -1.0F, 1.0F);
  const auto heard = [&](const std::vector<float>& samples) {
    return tests::segment_tokens(session.transcribe(Audio::from_samples(samples), f.options));
  };
  CHECK(heard(loud) == heard(cut));
  for (const double odd : {kNan, kInfinity, -kInfinity, 3e38}) {
    std::vector<float> samples = f.samples;
    samples[1000] = static_cast<float>(odd);
    try {
      heard(samples);
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.code() == ErrorCode::audio);
    }
  }
}

TEST_CASE("option check: a name of a device's options is refused by its field, and by its option") {
  struct Refused {
    std::string field;
    std::string text;  // of the command line
    std::function<void(DeviceOptions&)> set;
  };
  const std::vector<Refused> all = {
      {"device.cpu_precision", "--precision: expected auto, fp32, int16, int8, found x",
       [](DeviceOptions& o) { o.cpu_precision = "x"; }},
      {"device.plan", "--npu-plan: expected fused, batched, hybrid, per-op, found x",
       [](DeviceOptions& o) { o.plan = "x"; }},
      {"device.precision", "--npu-precision: expected bf16, int8, found x",
       [](DeviceOptions& o) { o.precision = "x"; }},
      {"device.split", "--device-split: expected auto, windows, layers, heads, found x",
       [](DeviceOptions& o) { o.split = "x"; }}};
  for (const Refused& each : all) {
    CAPTURE(each.field);
    DeviceOptions options;
    each.set(options);
    try {
      app::check_options(options);
      FAIL("nothing was thrown");
    } catch (const Error& error) {
      CHECK(error.option() == each.field);
      CHECK(error.code() == ErrorCode::usage);
      CHECK(app::text_of(error) == each.text);
    }
  }
}
