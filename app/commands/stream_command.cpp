#include "app/commands/stream_command.h"

#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <iostream>
#include <memory>
#include <optional>
#include <poll.h>
#include <span>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/jobs/notes.h"
#include "app/options/exit_code.h"
#include "app/stream/alsa_capture.h"
#include "app/stream/block_detector.h"
#include "app/stream/live_output.h"
#include "app/stream/live_speakers.h"
#include "app/stream/live_transcript.h"
#include "app/stream/sample_reader.h"
#include "app/stream/stream_options.h"
#include "app/stream/stream_recognizer.h"
#include "app/system/progress.h"
#include "app/system/signals.h"
#include "app/system/terminal.h"
#include "app/system/write_all.h"
#include "audio/read/stream_decoder.h"
#include "models/kernels/vectors/blas.h"

namespace wnpu::app {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kQueueRate = 16000;
// A feeder that is faster than we are waits; a microphone cannot, and gets more room.
constexpr std::size_t kMostOfPipe = 30 * kQueueRate;
constexpr std::size_t kMostOfDevice = 60 * kQueueRate;
// Without samples for this long the feeder has stopped.
constexpr milliseconds kPatience{100};
constexpr milliseconds kStalledAfter{1000};

using Device = std::shared_ptr<AlsaCapture>;

std::unique_ptr<audio::PcmReader> open_device(const Device& device,
                                              const SampleReader::ShouldStop& should_stop) {
  const auto source = [device, should_stop](std::span<std::byte> out) {
    return device->read(out, should_stop);
  };
  return audio::open_pcm_stream(source, device->format(), "--device-input");
}

std::unique_ptr<audio::PcmReader> open_stdin(const std::string& raw_format,
                                             const SampleReader::ShouldStop& should_stop) {
  std::optional<audio::RawFormat> format;
  if (!raw_format.empty()) format = audio::parse_raw_format(raw_format);
  const auto source = [should_stop](std::span<std::byte> out) {
    return read_some(STDIN_FILENO, out, should_stop);
  };
  return audio::open_pcm_stream(source, format, "stdin");
}

// Throws BrokenPipe if nobody reads stdout any more; a write would tell, but there may be none.
void check_reader_of_stdout() {
  pollfd out{STDOUT_FILENO, 0, 0};
  if (::poll(&out, 1, 0) > 0 && (out.revents & POLLERR) != 0) throw BrokenPipe("stdout: closed");
}

using HearFn = std::function<void(std::span<const std::int16_t>)>;

// Samples of the queue through the transcript and then `hear`, to their end, be that one of an
// error.
void transcribe_queue(SampleQueue& queue, LiveTranscript& transcript, bool is_live,
                      const HearFn& hear) {
  milliseconds waited{0};
  while (true) {
    const auto samples = queue.take(LiveTranscript::kBlock, kPatience);
    check_reader_of_stdout();
    if (!samples) {
      waited += kPatience;
      if (!is_live || waited != kStalledAfter) continue;
      const auto rest = queue.take_rest(LiveTranscript::kBlock);
      transcript.push(rest);
      hear(rest);
      transcript.stall();
      continue;
    }
    waited = milliseconds{0};
    if (received_signal() != 0) transcript.hurry();
    transcript.push(*samples, is_live && queue.size() >= LiveTranscript::kBlock);
    hear(*samples);
    if (samples->size() < LiveTranscript::kBlock) break;
  }
  transcript.finish();
}

std::filesystem::path detector_weights(const StreamOptions& options, Messages& messages) {
  const std::string& weights = options.work.transcribe.vad.weights;
  if (options.is_vad_model_given || std::filesystem::exists(weights)) return weights;
  messages.note("speech is told from silence by its loudness: " + weights +
                ", the weights of the speech detector, are not there");
  return {};
}

int stream(const StreamOptions& options, const std::vector<std::string>& /*files*/) {
  use_log_format(options.work.log_format);
  if (options.device_input.empty() && ::isatty(STDIN_FILENO) != 0)
    throw UsageError("stream: stdin is a terminal: send audio there, or give --device-input");
  Messages messages(std::cerr, options.work.verbosity, false);
  const auto device =
      options.device_input.empty() ? nullptr : std::make_shared<AlsaCapture>(options.device_input);
  kernels::use_gemm(options.work.gemm);
  BlockDetector detector(detector_weights(options, messages));
  const Model model(options.work.model,
                    {options.work.model_dir, options.work.device, options.work.threads});
  model.check(options.work.transcribe);
  note_device(model.device(), model.threads(), options.work, messages);
  Session session(model);
  TranscribeOptions transcribe = options.work.transcribe;
  // Told apart over the whole stream, not in what one hypothesis hears.
  const SpeakerOptions voices = std::exchange(transcribe.speakers, {});
  StreamRecognizer recognizer(session, transcribe, [] { return received_signal() != 0; });
  std::optional<LiveSpeakers> speakers;
  if (voices.enabled) speakers.emplace(voices, model.threads());
  const bool is_terminal = ::isatty(STDOUT_FILENO) != 0;
  LiveOutput output(
      {.is_json = options.format == kJsonLines,
       .has_speakers = voices.enabled,
       .is_terminal = is_terminal,
       .shows_tail = wants_progress(options.work.verbosity, is_terminal, std::getenv("TERM")),
       .columns = [] { return terminal_columns(STDOUT_FILENO); }},
      [](std::string_view text) { write_all(STDOUT_FILENO, text, "stdout"); });
  LiveTranscript transcript(
      options.live, [&](auto block) { return detector.speech(block); },
      [&](const HeardAudio& heard) { return recognizer.hear(heard); },
      [&](const StreamEvent& event) {
        output.show(event, recognizer.work_s());
        if (speakers && event.type == StreamEvent::Type::final) speakers->expect(event);
      });
  const auto show = [&](const std::vector<StreamEvent>& events) {
    for (const StreamEvent& event : events) output.show(event, recognizer.work_s());
  };
  const auto hear = [&](std::span<const std::int16_t> samples) {
    if (!speakers) return;
    speakers->add(samples);
    show(speakers->settled());
  };
  keep_results_when_stopped();
  SampleQueue queue(device ? kMostOfDevice : kMostOfPipe);
  const auto open = [&](const SampleReader::ShouldStop& should_stop) {
    return device ? open_device(device, should_stop)
                  : open_stdin(options.work.stdin_format, should_stop);
  };
  SampleReader reader(queue, open, [] { return received_signal() != 0; });
  messages.detail("listening");
  transcribe_queue(queue, transcript, options.pace == kLivePace, hear);
  if (speakers) show(speakers->rest());
  output.end();
  // Warnings of a source that ends in the middle are left out if a signal asked it to end.
  const std::string source = device ? "--device-input" : "stdin";
  for (const std::string& warning : reader.finish())
    if (received_signal() == 0) messages.note(source + ": " + warning);
  queue.check();
  if (device && device->n_gaps() > 0) {
    messages.note("the device dropped sound " + std::to_string(device->n_gaps()) + " times");
  }
  return received_signal() == 0 ? static_cast<int>(ExitCode::ok)
                                : static_cast<int>(ExitCode::signal) + received_signal();
}

}  // namespace

Subcommand stream_command() {
  return subcommand("stream", "Speech on stdin or from a microphone to text, while it is spoken",
                    add_stream_options, stream);
}

}  // namespace wnpu::app
