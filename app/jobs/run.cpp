#include "app/jobs/run.h"

#include <algorithm>
#include <ostream>
#include <set>
#include <sstream>

#include "app/engine/error.h"
#include "app/formats/shown_text.h"
#include "app/formats/writers.h"
#include "app/jobs/notes.h"
#include "app/jobs/readable_input.h"
#include "app/options/exit_code.h"
#include "app/output/result_guard.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

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
        guard_(options.inputs),
        printed_(environment.out, environment.is_terminal, wants_headers(options)) {
    write_options_ = {options.layout, options.verbosity == Verbosity::verbose, options.choices};
  }

  // Clears what a killed run has left of the results.
  void prepare(const std::vector<PlannedInput>& plan) {
    results_ = results_of(plan);
    remove_stale_files(results_);
  }

  void note(const PlannedInput& planned, const char* text) {
    messages_.note(planned.input + text, planned.input);
  }
  void set_place(std::size_t place, std::size_t n_files) { messages_.set_place(place, n_files); }

  // Tells the error that failed a file, or that it was stopped.
  void tell(const std::exception& error, const PlannedInput& planned) {
    if (error_code(error) == ErrorCode::stopped) return note(planned, ": stopped");
    const bool names_file = dynamic_cast<const Error*>(&error) != nullptr ||
                            dynamic_cast<const NetworkError*>(&error) != nullptr;
    messages_.error((names_file ? "" : planned.input + ": ") + error.what(), planned.input);
    ++progress_.n_failed;
  }

  void transcribe_file(const PlannedInput& planned) {
    if (!planned.fault.empty()) throw OneOutputError(planned.fault);
    check_readable(planned.input);
    // openai/whisper too prints what it hears while it writes to files, if verbose.
    const auto to_stdout = [](const Target& target) { return target.path.empty(); };
    const auto& targets = planned.targets;
    const auto on_stdout = std::find_if(targets.begin(), targets.end(), to_stdout);
    const bool is_live = on_stdout == targets.end() ? options_.verbosity == Verbosity::verbose
                                                    : on_stdout->format == Format::text;
    const bool is_txt = on_stdout != targets.end() && on_stdout->format == Format::txt;
    printed_.begin(is_live || is_txt ? planned.input : "");
    messages_.begin_progress(planned.input);
    Transcript transcript = transcribe_(planned.input, callbacks(is_live && !options_.dry_run));
    messages_.hide_progress();
    progress_.audio_s += transcript.input.duration;
    if (options_.dry_run) {
      put(dry_run_report(planned.input, transcript) + "\n");
      return note_warnings(transcript, messages_);
    }
    const auto shows_checksums = [](const Target& target) { return is_json(target.format); };
    if (std::ranges::any_of(targets, shows_checksums)) {
      environment_.checksums->add(transcript, [this] { return environment_.stop_signal() != 0; });
    }
    put("");  // a header stands over no text as well
    for (const Target& target : targets) {
      if (!is_live || !target.path.empty()) write_target(target, transcript);
    }
    if (!transcript.truncated) {
      const auto is_kept = [&](const fs::path& path) {
        return results_.contains(path) || !guard_.is_part(path, planned.input);
      };
      for (const Target& target : targets) {
        remove_partial_files(target.in(transcript.language), is_kept);
      }
    }
    note_end(transcript, planned.targets, options_.layout, messages_);
  }

 private:
  Callbacks callbacks(bool is_live) {
    Callbacks callbacks;
    callbacks.on_beginning = language_note(messages_);
    callbacks.on_segment = [this, is_live](const Segment& segment) {
      if (!is_live) return;
      messages_.hide_progress();
      if (environment_.shows_colors) explain_colors(options_.color, progress_, messages_);
      const std::string line = text_line(segment, write_options_, environment_.shows_colors);
      put(broken_at_words(line, environment_.text_columns()), environment_.shows_colors);
    };
    callbacks.on_progress = [this](double done_s, double total_s) {
      messages_.update_progress(done_s, total_s);
    };
    callbacks.should_stop = [this] { return environment_.stop_signal() != 0; };
    return callbacks;
  }

  void put(const std::string& text, bool has_colors = false) {
    printed_.put(text, has_colors, progress_.n_headers);
  }

  void write_target(const Target& target, const Transcript& transcript) {
    std::ostringstream text;
    // Without this a stream that finds no memory drops what it was given, and says nothing.
    text.exceptions(std::ios::badbit | std::ios::failbit);
    write(target.format, transcript, write_options_, text);
    if (target.path.empty()) return put(text.str());
    const fs::path whole = target.in(transcript.language);
    const fs::path path = transcript.truncated ? free_partial_path(whole) : whole;
    // A stopped run that has finished nothing has nothing to keep.
    if (path != whole && transcript.segments.empty()) return;
    // Hours after the plan, which has checked the same where it knew the name.
    const bool is_twice = target.by_language && results_.contains(path);
    const bool is_new =
        path == whole && (is_twice || options_.existing != ExistingOutput::overwrite);
    try {
      guard_.check_again(path, is_new);
      write_file(path, text.str(), is_new);
    } catch (const NameTaken& taken) {
      if (is_twice || options_.existing != ExistingOutput::skip) throw;
      return messages_.note(taken.what() + std::string("; kept"), transcript.input.path);
    }
    results_.insert(path);
    messages_.detail("wrote " + path.string(), transcript.input.path);
  }

  const Options& options_;
  const TranscribeFn& transcribe_;
  const Environment& environment_;
  BatchProgress& progress_;
  Messages messages_;
  ResultGuard guard_;
  HeadedOutput printed_;
  WriteOptions write_options_;
  std::set<fs::path> results_;  // of the whole batch, and by the names that they got
};

}  // namespace

int run(const Options& options, const std::vector<PlannedInput>& plan,
        const TranscribeFn& transcribe, const Environment& environment, BatchProgress& progress) {
  Batch batch(options, transcribe, environment, progress);
  batch.prepare(plan);
  for (; progress.n_ended < plan.size(); ++progress.n_ended) {
    if (environment.stop_signal() != 0) break;
    const PlannedInput& planned = plan[progress.n_ended];
    progress.n_begun = progress.n_ended + 1;
    batch.set_place(progress.n_begun, plan.size());
    if (planned.is_skipped) {
      batch.note(planned, ": skipped, its results are there");
      continue;
    }
    const auto work = [&] { batch.transcribe_file(planned); };
    try {
      with_errors(planned.input, work);
    } catch (const std::exception& error) {
      const bool is_stopped = error_code(error) == ErrorCode::stopped;
      if (!is_stopped && (plan.size() == 1 || !is_of_one_file(error))) throw;
      batch.tell(error, planned);
      if (is_stopped) break;
    }
  }
  return conclude(options, plan, progress, {environment.stop_signal(), *environment.err});
}

}  // namespace wnpu::app
