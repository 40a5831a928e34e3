// Streams of real speech by real weights, as the program plays them with --pace audio.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/stream/block_detector.h"
#include "app/stream/live_transcript.h"
#include "app/stream/stream_options.h"
#include "app/stream/stream_recognizer.h"
#include "tests/support/fetched_files.h"
#include "tests/support/shared_data.h"
#include "tests/support/word_alignment.h"

namespace {

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT
using Path = std::filesystem::path;

// Samples of a WAV file of 16 bits, mono, 16 kHz.
std::vector<std::int16_t> wav_samples(const Path& wav) {
  std::ifstream in(wav, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(in), {}};
  const std::size_t from = bytes.find("data") + 8;
  REQUIRE(from < bytes.size());
  std::vector<std::int16_t> samples((bytes.size() - from) / 2);
  std::memcpy(samples.data(), bytes.data() + from, samples.size() * 2);
  return samples;
}

std::vector<StreamEvent> final_events(const Path& model, const Path& vad, const Path& wav) {
  const StreamOptions options;
  const DeviceOptions device{.requested = "cpu", .cpu_precision = "fp32"};
  Session session(Model(model.string(), {.device = device, .threads = 2}));
  StreamRecognizer recognizer(session, options.work.transcribe, {});
  BlockDetector detector(vad);
  std::vector<StreamEvent> events;
  LiveTranscript transcript(
      options.live, [&](auto block) { return detector.speech(block); },
      [&](const HeardAudio& heard) { return recognizer.hear(heard); },
      [&](const StreamEvent& event) {
        if (event.type == StreamEvent::Type::final) events.push_back(event);
      });
  transcript.push(wav_samples(wav));
  transcript.finish();
  return events;
}

std::string streamed_text(const std::vector<StreamEvent>& events) {
  std::string text;
  for (const StreamEvent& event : events) text += event.text();
  return text;
}

}  // namespace

TEST_CASE("stream of speech: the words of jfk.wav are those of the file, pauses and all") {
  const auto model = tests::tiny_en_dir();
  const auto vad = tests::silero_weights();
  const auto jfk = tests::jfk_wav();
  if (!model || !vad || !jfk) return;
  const std::string text = streamed_text(final_events(*model, *vad, *jfk));
  CAPTURE(text);
  const auto said = tests::plain_words(
      "And so my fellow Americans ask not what your country can do for you ask what you can do for "
      "your country");
  CHECK(tests::compare_words(said, tests::plain_words(text)).total == 0);
}

TEST_CASE("stream of speech: one second of Chinese between silences is words, and Chinese") {
  if (!tests::tiny_en_dir()) return;  // as the others with real weights
  const auto model = tests::fetched_file("base");
  const auto vad = tests::silero_weights();
  const auto command = tests::shared_file("field/short_command.wav");
  if (!model || !vad || !command) return;
  const auto events = final_events(*model, *vad, *command);
  CHECK(streamed_text(events).starts_with("扎自己的"));
  for (const StreamEvent& event : events) CHECK(event.language == "zh");
}
