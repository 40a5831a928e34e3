#include "app/jobs/notes.h"

#include <algorithm>
#include <utility>

#include "app/engine/devices/device_choice.h"
#include "app/engine/windows/spoken_language.h"
#include "app/formats/shown_text.h"
#include "app/formats/text_table.h"
#include "app/options/exit_code.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

std::string seconds(double value) { return decimal("%.2f s", value); }

std::string rounded(double value) { return decimal("%.1f", value); }

// "; 1:02:11 of audio in 0:31, 120.3 times real time"
std::string speed_text(const BatchProgress& progress) {
  const auto time = [](double s) { return s < 60 ? seconds(s) : minutes_and_seconds(s); };
  const double elapsed_s =
      std::chrono::duration<double>(std::chrono::steady_clock::now() - progress.begin).count();
  if (progress.audio_s <= 0 || elapsed_s <= 0) return "";
  return "; " + time(progress.audio_s) + " of audio in " + time(elapsed_s) + ", " +
         rounded(progress.audio_s / elapsed_s) + " times real time";
}

}  // namespace

void note_device(const DeviceInfo& device, unsigned threads, const Options& options,
                 Messages& messages) {
  if (!device.reason.empty()) messages.detail("device " + device.used + ": " + device.reason);
  if (device.simulated) {
    messages.note("device sim: an NPU simulated on this CPU; no time of this run is an NPU's");
  }
  if (options.threads > threads) {
    messages.note("--threads " + std::to_string(options.threads) + ": this process may use " +
                  std::to_string(threads) + " CPUs, and takes as many threads");
  }
  if (!device.npu && asks_for_npu(options.device)) {
    messages.note(
        "no NPU is used: --npu-plan, --npu-precision, --npu-plan-file, --npu-operator, "
        "--memory-limit and --xclbin have no effect");
  }
  if (!device.npu) return;
  for (const OperatorUse& use : device.npu->operators) {
    messages.note("operator " + use.name + " (" + use.source + ") in the place of " + use.replaces +
                  ", on " +
                  (use.reason.empty() ? "the simulated cores" : "the CPU: " + use.reason));
  }
}

std::string dry_run_report(const std::string& name, const Transcript& transcript) {
  const InputInfo& input = transcript.input;
  return name + ": " + seconds(input.duration) + " of audio (" + input.format + ", " +
         std::to_string(input.sample_rate) + " Hz, " + std::to_string(input.channels) +
         (input.channels == 1 ? " channel" : " channels") + "): decoded in " +
         seconds(transcript.timing.decode_audio) + ", mel in " + seconds(transcript.timing.mel);
}

bool wants_headers(const Options& options) {
  if (options.dry_run) return false;
  if (options.headers == Headers::automatic) return options.inputs.size() > 1;
  return options.headers == Headers::on;
}

void HeadedOutput::put(const std::string& text, bool has_colors, std::size_t& n_headers) {
  if (!input_.empty()) {
    const std::string begin = n_headers++ == 0 ? "==> " : "\n==> ";
    write_all(descriptor_, begin + printable(std::exchange(input_, "")) + " <==\n", "stdout");
  }
  write_all(descriptor_, is_terminal_ && !has_colors ? printable_lines(text) : text, "stdout");
}

std::function<void(const Beginning&)> language_note(Messages& messages) {
  return [&messages](const Beginning& beginning) {
    if (beginning.language_probs.empty()) return;
    const std::string text = "detected language: " + described(beginning.language_probs);
    messages.note(messages.file() + ": " + text, messages.file());
  };
}

void note_warnings(const Transcript& transcript, Messages& messages) {
  for (const std::string& warning : transcript.warnings) {
    messages.note(transcript.input.path + ": " + warning, transcript.input.path);
  }
}

void note_end(const Transcript& transcript, Messages& messages) {
  const std::string prefix = transcript.input.path + ": ";
  note_warnings(transcript, messages);
  if (transcript.truncated) {
    messages.note(prefix + (transcript.segments.empty() ? "stopped before anything was finished"
                                                        : "stopped; what was finished is kept"),
                  transcript.input.path);
  }
  messages.detail(prefix + seconds(transcript.input.duration) + " of audio in " +
                      seconds(transcript.timing.total) + ", model loaded in " +
                      seconds(transcript.timing.load) + ", on " + transcript.device.used +
                      (transcript.device.simulated ? " (simulated)" : ""),
                  transcript.input.path);
}

void note_end(const Transcript& transcript, const std::vector<Target>& targets,
              const SubtitleLayout& layout, Messages& messages) {
  const bool has_cues = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
    return target.format == Format::srt || target.format == Format::vtt;
  });
  const std::string yielded = has_cues ? yielded_rules(transcript, layout) : "";
  if (!yielded.empty()) {
    messages.note(transcript.input.path + ": " + yielded, transcript.input.path);
  }
  note_end(transcript, messages);
}

void explain_colors(Color asked, BatchProgress& progress, Messages& messages) {
  if (asked != Color::automatic || progress.colors_told) return;
  progress.colors_told = true;
  messages.note("colours say how probable the text is, from red to green (--color never: none)");
}

int conclude(const Options& options, const std::vector<PlannedInput>& plan,
             const BatchProgress& progress, const BatchEnd& end) {
  if (end.signal != 0) return static_cast<int>(ExitCode::signal) + end.signal;
  Messages messages(end.err, options.verbosity, false);
  const auto n_skipped = std::ranges::count_if(plan, &PlannedInput::is_skipped);
  const std::string files = std::to_string(plan.size()) + " files";
  std::string more = n_skipped == 0 ? "" : ", " + std::to_string(n_skipped) + " skipped";
  if (options.verbosity != Verbosity::quiet) more += speed_text(progress);
  if (progress.n_failed > 0) {
    messages.error(std::to_string(progress.n_failed) + " of " + files + " failed" + more);
    return static_cast<int>(ExitCode::some_failed);
  }
  if (plan.size() > 1) messages.note(files + more);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace wnpu::app
