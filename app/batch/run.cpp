#include "app/batch/run.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <new>
#include <ostream>
#include <set>
#include <sstream>
#include <unistd.h>

#include "app/batch/output_file.h"
#include "app/batch/progress.h"
#include "app/batch/result_guard.h"
#include "app/batch/sha256.h"
#include "app/batch/write_all.h"
#include "app/cli/exit_code.h"
#include "app/engine/error.h"
#include "app/engine/model_path.h"
#include "app/formats/writers.h"

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
  if (fs::is_directory(input, error)) throw Error(ErrorCode::audio, expected + "a folder");
  if (::access(input.c_str(), R_OK) != 0) {
    throw Error(ErrorCode::audio, expected + std::strerror(errno));
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

// Whether the files after the one that it came from may do better.
bool is_of_one_file(const std::exception& error) {
  switch (exit_code_of(error)) {
    case static_cast<int>(ErrorCode::audio):
    case static_cast<int>(ErrorCode::library):
    case static_cast<int>(ErrorCode::resources):
    case static_cast<int>(ErrorCode::internal):
      return true;
    default:
      return false;
  }
}

class Batch {
 public:
  Batch(const Options& options, const TranscribeFn& transcribe, const Environment& environment,
        BatchProgress& progress)
      : options_(options),
        transcribe_(transcribe),
        environment_(environment),
        progress_(progress),
        messages_(*environment.err, options.verbosity, environment.shows_progress,
                  environment.columns),
        guard_(options.inputs) {
    write_options_.layout = options.layout;
    write_options_.text_timestamps = options.verbosity == Verbosity::verbose;
  }

  void run(const std::vector<PlannedInput>& plan) {
    results_ = results_of(plan);
    remove_stale_files(results_);
    for (; progress_.n_ended < plan.size(); ++progress_.n_ended) {
      if (environment_.stop_signal() != 0) break;
      const PlannedInput& planned = plan[progress_.n_ended];
      progress_.n_begun = progress_.n_ended + 1;
      if (planned.is_skipped) {
        messages_.note(planned.input + ": skipped, its results are there");
      } else if (!run_or_fail(planned, plan.size() == 1)) {
        messages_.note(planned.input + ": stopped");
        break;
      }
    }
  }

 private:
  // False: it was stopped. Throws what ends the batch: an error that is not this file's alone, or
  // of the only file.
  bool run_or_fail(const PlannedInput& planned, bool is_alone) {
    try {
      with_errors(planned.input, [&] { run_file(planned); });
    } catch (const std::exception& error) {
      if (error_code(error) == ErrorCode::stopped) return false;
      if (is_alone || !is_of_one_file(error)) throw;
      const bool names_file = dynamic_cast<const Error*>(&error) != nullptr;
      count_failed((names_file ? "" : planned.input + ": ") + error.what());
    }
    return true;
  }

  void count_failed(const std::string& error) {
    messages_.error(error);
    ++progress_.n_failed;
  }

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
    if (options_.dry_run) {
      put(planned.input + ": " + dry_run_report(transcript) + "\n");
      return show_warnings(transcript);
    }
    add_checksums(targets, transcript);
    for (const Target& target : targets) {
      const bool is_printed = is_live && target.path.empty();
      if (!is_printed) write_target(target, transcript);
    }
    if (!transcript.truncated) {
      const auto is_kept = [this](const fs::path& path) { return this->is_kept(path); };
      for (const Target& target : targets) remove_partial_files(target.path, is_kept);
    }
    report(transcript);
  }

  Callbacks callbacks(bool is_live) {
    Callbacks callbacks;
    callbacks.on_segment = [this, is_live](const Segment& segment) {
      if (!is_live) return;
      messages_.hide_progress();
      put(text_line(segment, write_options_));
    };
    callbacks.on_progress = [this](double done_s, double total_s) {
      messages_.update_progress(done_s, total_s);
    };
    callbacks.should_stop = [this] { return environment_.stop_signal() != 0; };
    return callbacks;
  }

  void put(const std::string& text) { write_all(environment_.out, text, kStdout); }

  void write_target(const Target& target, const Transcript& transcript) {
    std::ostringstream text;
    // Without this a stream that finds no memory drops what it was given, and says nothing.
    text.exceptions(std::ios::badbit | std::ios::failbit);
    write(target.format, transcript, write_options_, text);
    if (target.path.empty()) return put(text.str());
    const fs::path path = transcript.truncated ? free_partial_path(target.path) : target.path;
    // A stopped run that has finished nothing has nothing to keep.
    if (path != target.path && transcript.segments.empty()) return;
    check_again(path, path == target.path);
    write_file(path, text.str());
    messages_.detail("wrote " + path.string());
  }

  // Hours after the plan, which has checked the same.
  void check_again(const fs::path& path, bool is_whole) {
    guard_.check_replaceable(path);
    std::error_code error;
    if (is_whole && options_.existing == ExistingOutput::refuse && !descriptor_of(path) &&
        fs::is_regular_file(path, error)) {
      throw OutputError(path.string() + ": was not there before the work began, and is there now");
    }
  }

  // Whether a file that looks like a part of a result must stay.
  bool is_kept(const fs::path& path) const {
    if (results_.contains(path)) return true;
    try {
      guard_.check_replaceable(path);
    } catch (const std::runtime_error&) {
      return true;
    }
    return false;
  }

  // JSON alone shows them, and they cost a read of both files.
  void add_checksums(const std::vector<Target>& targets, Transcript& transcript) {
    const bool shows = std::any_of(targets.begin(), targets.end(), [](const Target& target) {
      return target.format == Format::json || target.format == Format::jsonl;
    });
    // A stopped program must end within half a second; a large model's file takes several.
    if (!shows || transcript.truncated) return;
    const auto is_stopped = [this] { return environment_.stop_signal() != 0; };
    transcript.input.sha256 = sha256_of_file(transcript.input.path, is_stopped);
    if (model_sha256_.empty()) {
      model_sha256_ = sha256_of_file(weights_file(transcript.model.path), is_stopped);
    }
    transcript.model.sha256 = model_sha256_;
  }

  void show_warnings(const Transcript& transcript) {
    for (const std::string& warning : transcript.warnings) {
      messages_.note(transcript.input.path + ": " + warning);
    }
  }

  void report(const Transcript& transcript) {
    const std::string prefix = transcript.input.path + ": ";
    show_warnings(transcript);
    if (transcript.truncated) {
      messages_.note(prefix + (transcript.segments.empty() ? "stopped before anything was finished"
                                                           : "stopped; what was finished is kept"));
    }
    messages_.detail(prefix + seconds(transcript.input.duration) + " of audio in " +
                     seconds(transcript.timing.total) + ", model loaded in " +
                     seconds(transcript.timing.load) + ", on " + transcript.device.used +
                     (transcript.device.simulated ? " (simulated)" : ""));
  }

  const Options& options_;
  const TranscribeFn& transcribe_;
  const Environment& environment_;
  BatchProgress& progress_;
  Messages messages_;
  ResultGuard guard_;
  WriteOptions write_options_;
  std::set<fs::path> results_;  // of the whole batch
  std::string model_sha256_;    // of the model's weights, once it is known
};

}  // namespace

void check_inputs(const std::vector<PlannedInput>& plan) {
  if (plan.size() == 1 && !plan.front().is_skipped) check_readable(plan.front().input);
}

int run(const Options& options, const std::vector<PlannedInput>& plan,
        const TranscribeFn& transcribe, const Environment& environment, BatchProgress& progress) {
  Batch(options, transcribe, environment, progress).run(plan);
  return conclude(options, plan, progress, environment);
}

int conclude(const Options& options, const std::vector<PlannedInput>& plan,
             const BatchProgress& progress, const Environment& environment) {
  const int signal = environment.stop_signal();
  if (signal != 0) return static_cast<int>(ExitCode::signal) + signal;
  if (progress.n_failed == 0) return static_cast<int>(ExitCode::ok);
  Messages(*environment.err, options.verbosity, false)
      .error(std::to_string(progress.n_failed) + " of " + std::to_string(plan.size()) +
             " files failed");
  return static_cast<int>(ExitCode::some_failed);
}

}  // namespace wnpu::app
