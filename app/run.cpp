#include "app/run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <ostream>
#include <sstream>
#include <unistd.h>

#include "app/available_cpus.h"
#include "app/device_choice.h"
#include "app/exit_code.h"
#include "app/model_path.h"
#include "app/output_file.h"
#include "app/progress.h"
#include "app/sha256.h"
#include "app/writers.h"
#include "audio/error.h"
#include "npu/probe.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

const std::string kStdout = "stdout";

// The cheap part of "can it be read".
void check_readable(const std::string& input) {
  if (input == "-") {
    if (::isatty(STDIN_FILENO) != 0) {
      throw UsageError("- is stdin, and that is a terminal: send a file there");
    }
    return;
  }
  std::error_code error;
  const std::string expected = input + ": expected an audio file, found ";
  if (fs::is_directory(input, error)) throw audio::AudioError(expected + "a folder");
  if (::access(input.c_str(), R_OK) != 0) {
    throw audio::AudioError(expected + std::strerror(errno));
  }
}

std::string seconds(double value) {
  std::array<char, 40> text{};
  std::snprintf(text.data(), text.size(), "%.2f s", value);
  return text.data();
}

// "11.00 s of audio (WAV, 16000 Hz, 1 channel): decoded in 0.01 s, mel in 0.02 s"
std::string dry_run_report(const Transcript& transcript) {
  const InputInfo& input = transcript.input;
  return seconds(input.duration) + " of audio (" + input.format + ", " +
         std::to_string(input.sample_rate) + " Hz, " + std::to_string(input.channels) +
         (input.channels == 1 ? " channel" : " channels") + "): decoded in " +
         seconds(transcript.timing.decode_audio) + ", mel in " + seconds(transcript.timing.mel);
}

class Batch {
 public:
  Batch(const Options& options, const TranscribeFn& transcribe, const Environment& environment)
      : options_(options),
        transcribe_(transcribe),
        environment_(environment),
        messages_(*environment.err, options.verbosity, environment.shows_progress) {
    write_options_.layout = options.layout;
    write_options_.text_timestamps = options.verbosity == Verbosity::verbose;
  }

  int run(const std::vector<PlannedInput>& plan) {
    for (const PlannedInput& planned : plan) {
      if (environment_.stop_signal() != 0) break;
      if (planned.is_skipped) {
        messages_.note(planned.input + ": skipped, its results are there");
        continue;
      }
      try {
        run_file(planned);
      } catch (const audio::AudioError& error) {
        if (plan.size() == 1) throw;
        messages_.error(error.what());
        ++n_failed_;
      }
    }
    return finish(plan.size());
  }

 private:
  void run_file(const PlannedInput& planned) {
    check_readable(planned.input);
    // openai/whisper too prints what it hears while it writes to files, if verbose.
    const auto to_stdout = [](const Target& target) { return target.path.empty(); };
    const auto& targets = planned.targets;
    const auto on_stdout = std::find_if(targets.begin(), targets.end(), to_stdout);
    const bool is_live = on_stdout == targets.end() ? options_.verbosity == Verbosity::verbose
                                                    : on_stdout->format == Format::text;

    messages_.begin_progress(fs::path(planned.input).filename());
    Transcript transcript = transcribe_(planned.input, callbacks(is_live && !options_.dry_run));
    messages_.hide_progress();
    if (options_.dry_run) return put(planned.input + ": " + dry_run_report(transcript) + "\n");
    add_checksums(targets, transcript);
    for (const Target& target : targets) {
      const bool is_printed = is_live && target.path.empty();
      if (!is_printed) write_target(target, transcript);
    }
    report(transcript);
  }

  Callbacks callbacks(bool is_live) {
    Callbacks callbacks;
    callbacks.on_segment = [this, is_live](const decoder::Segment& segment) {
      if (!is_live) return;
      messages_.hide_progress();
      put(text_line(segment, write_options_));
    };
    callbacks.on_progress = [this](double done_s, double total_s) {
      messages_.update_progress(done_s, total_s);
    };
    callbacks.is_cancelled = [this] { return environment_.stop_signal() != 0; };
    return callbacks;
  }

  void put(const std::string& text) { write_all(environment_.out, text, kStdout); }

  void write_target(const Target& target, const Transcript& transcript) {
    std::ostringstream text;
    write(target.format, transcript, write_options_, text);
    if (target.path.empty()) return put(text.str());
    const fs::path path = transcript.truncated ? partial_path(target.path) : target.path;
    write_file(path, text.str());
    messages_.detail("wrote " + path.string());
  }

  // JSON alone shows them, and they cost a read of both files.
  void add_checksums(const std::vector<Target>& targets, Transcript& transcript) {
    const bool shows = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
      return target.format == Format::json || target.format == Format::jsonl;
    });
    // A stopped program must end within half a second; a large model's file takes several.
    if (!shows || transcript.truncated) return;
    transcript.input.sha256 = sha256_of_file(transcript.input.path);
    if (model_sha256_.empty()) {
      model_sha256_ = sha256_of_file(weights_file(transcript.model.path));
    }
    transcript.model.sha256 = model_sha256_;
  }

  void report(const Transcript& transcript) {
    const std::string prefix = transcript.input.path + ": ";
    for (const std::string& warning : transcript.warnings) {
      messages_.note(std::string(prefix).append(warning));
    }
    if (transcript.truncated) messages_.note(prefix + "stopped; what was finished is kept");
    messages_.detail(prefix + seconds(transcript.input.duration) + " of audio in " +
                     seconds(transcript.timing.total) + ", model loaded in " +
                     seconds(transcript.timing.load) + ", on " + transcript.device.used);
  }

  int finish(std::size_t n_files) {
    const int signal = environment_.stop_signal();
    if (signal != 0) return static_cast<int>(ExitCode::signal) + signal;
    if (n_failed_ == 0) return static_cast<int>(ExitCode::ok);
    messages_.error(std::to_string(n_failed_) + " of " + std::to_string(n_files) + " files failed");
    return static_cast<int>(ExitCode::some_failed);
  }

  const Options& options_;
  const TranscribeFn& transcribe_;
  const Environment& environment_;
  Messages messages_;
  WriteOptions write_options_;
  std::string model_sha256_;  // of the model's weights, once it is known
  std::size_t n_failed_ = 0;
};

}  // namespace

Setup set_up(const Options& options) {
  Setup setup;
  setup.threads = options.threads == 0 ? available_cpus() : options.threads;
  setup.device = choose_device(options.device, npu::probe(), setup.threads);
  if (!options.dry_run) setup.model = find_model(options.model);
  return setup;
}

void check_inputs(const std::vector<PlannedInput>& plan) {
  if (plan.size() == 1 && !plan.front().is_skipped) check_readable(plan.front().input);
}

int run(const Options& options, const std::vector<PlannedInput>& plan,
        const TranscribeFn& transcribe, const Environment& environment) {
  return Batch(options, transcribe, environment).run(plan);
}

}  // namespace wnpu::app
