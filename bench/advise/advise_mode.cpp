#include <algorithm>
#include <cerrno>
#include <exception>
#include <iostream>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/engine/available_cpus.h"
#include "app/jobs/process.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "app/system/write_all.h"
#include "bench/advise/advise.h"
#include "bench/core/meters.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "bench/rtf/rtf.h"

namespace wnpu::bench {
namespace {

using nlohmann::json;

app::Options work_with(const app::Options& work, const Candidate& candidate) {
  app::Options options = work;
  options.device.cpu_precision = candidate.precision;
  options.transcribe.beam_size = candidate.beams;
  options.transcribe.batch_size = candidate.batch;
  options.transcribe.vad.enabled = work.vad.value_or(candidate.batch > 1);
  options.threads = candidate.threads;
  return options;
}

struct Pass {
  double seconds = 0;
  double audio_s = 0;
  std::vector<double> durations;   // of audio, a file
  std::vector<std::string> texts;  // a file
};

Pass run_settings(TranscribeRuns& program, const std::vector<std::string>& files) {
  Pass pass;
  for (const std::string& file : files) {
    const FileRun done = program.run(file);
    pass.seconds += done.total_s;
    pass.audio_s += done.transcript.input.duration;
    pass.durations.push_back(done.transcript.input.duration);
    pass.texts.push_back(text_of(done.transcript));
  }
  return pass;
}

// In the process of its own: what there is to tell, or {"error", "code"}.
json measured(const app::Options& work, const std::vector<std::string>& files, std::size_t n_runs) {
  try {
    TranscribeRuns program(work);
    const Pass warm = run_settings(program, files);
    std::vector<double> seconds;
    for (std::size_t run = 0; run < n_runs; ++run)
      seconds.push_back(run_settings(program, files).seconds);
    return {{"audio_s", warm.audio_s},
            {"durations", warm.durations},
            {"texts", warm.texts},
            {"seconds", seconds},
            {"peak_bytes", peak_rss_bytes()}};
  } catch (const std::exception& error) {
    return {{"error", app::text_of(error)}, {"code", app::exit_code_of(error)}};
  }
}

double cpu_seconds() { return own_cpu_seconds() + children_cpu_seconds(); }

std::string read_to_end(int descriptor) {
  std::string text;
  std::array<char, 65536> part{};
  for (;;) {
    const ssize_t n = ::read(descriptor, part.data(), part.size());
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return text;
    text.append(part.data(), static_cast<std::size_t>(n));
  }
}

// Result of measured() in a child process, forked while this one has no threads.
json measured_apart(const app::Options& work, const std::vector<std::string>& files,
                    std::size_t n_runs) {
  std::array<int, 2> ends{};
  if (::pipe(ends.data()) != 0) throw std::system_error(errno, std::generic_category(), "pipe");
  const pid_t child = app::fork_worker(
      [&] {
        return app::exit_code_after([&] {
          const json told = measured(work, files, n_runs);
          app::write_all(ends[1], told.dump(-1, ' ', false, json::error_handler_t::replace),
                         "pipe");
          return 0;
        });
      },
      [](pid_t) {});
  ::close(ends[1]);
  const std::string text = read_to_end(ends[0]);
  ::close(ends[0]);
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFSIGNALED(status)) {
    return {{"error", "its process " + app::cause_of_death(status)},
            {"code", static_cast<int>(app::ExitCode::internal)}};
  }
  return json::parse(text);
}

std::string candidate_text(const Candidate& candidate) {
  return candidate.precision + ", " + std::to_string(candidate.beams) +
         (candidate.beams == 1 ? " beam" : " beams") + ", batch " +
         std::to_string(candidate.batch) + ", " + std::to_string(candidate.threads) +
         (candidate.threads == 1 ? " thread" : " threads");
}

class Trials {
 public:
  Trials(const BenchOptions& options, Results& results)
      : options_(options),
        results_(results),
        references_(options.references),
        files_(files_to_measure(options, references_)),
        messages_(std::cerr, options.work.verbosity, false) {}

  const std::vector<std::string>& files() const { return files_; }
  const std::vector<Tried>& tried() const { return tried_; }
  bool has_references() const { return has_references_; }

  // One that fails is left out, with a note, but for the first: that fails them all.
  void run(const Candidate& candidate) {
    messages_.note("measuring " + candidate_text(candidate));
    const json told = measured_apart(work_with(options_.work, candidate), files_, options_.runs);
    if (told.contains("error")) {
      const std::string error = told["error"];
      if (tried_.empty()) throw Error(static_cast<ErrorCode>(told["code"].get<int>()), error);
      results_.notes.push_back(candidate_text(candidate) + " is left out: " + error);
      return;
    }
    Tried tried{candidate, told["audio_s"], told["seconds"], told["texts"], told["peak_bytes"], 0};
    tried.durations = told["durations"].get<std::vector<double>>();
    tried.error_rate = error_rate(tried);
    tried_.push_back(std::move(tried));
  }

 private:
  double error_rate(const Tried& tried) {
    if (has_references_) {
      std::vector<Heard> heard;
      for (std::size_t i = 0; i < files_.size(); ++i) {
        heard.push_back({candidate_text(tried.candidate),
                         files_[i],
                         tried.durations[i],
                         tried.texts[i],
                         {},
                         {}});
      }
      const Scores scores = add_heard(std::move(heard), references_, results_);
      if (!scores.words.empty()) return total(scores.words).rate();
      has_references_ = false;
    }
    const std::vector<std::string>& first = tried_.empty() ? tried.texts : tried_.front().texts;
    ErrorCounts sum;
    for (std::size_t i = 0; i < files_.size(); ++i)
      sum += count_word_errors(first[i], tried.texts[i]);
    return sum.rate();
  }

  const BenchOptions& options_;
  Results& results_;
  References references_;
  std::vector<std::string> files_;
  app::Messages messages_;
  std::vector<Tried> tried_;
  bool has_references_ = !references_.is_empty();
};

constexpr const char* kErrors = "word error rate";
constexpr const char* kDifference = "words that differ from fp32 with 5 beams";

void add_figures(const Tried& tried, const char* errors, Results& results) {
  Labels labels;
  for (const auto& [option, value] : options_of(tried.candidate))
    labels.emplace_back(option.substr(2), value);
  std::vector<double> speeds;
  for (const double seconds : tried.seconds) speeds.push_back(tried.audio_s / seconds);
  Figure speed = figure_of_runs("speed", "x", speeds);
  speed.labels = labels;
  results.figures.push_back(std::move(speed));
  results.figures.push_back(figure_of_value(errors, "", tried.error_rate, labels));
  results.figures.push_back(
      figure_of_value("peak memory", "bytes", static_cast<double>(tried.peak_bytes), labels));
}

std::string table_of(std::span<const Tried> tried, std::size_t best, const char* errors) {
  TextTable table({"precision", "beams", "batch", "threads", "speed", "words", "peak memory", ""});
  for (std::size_t i = 0; i < tried.size(); ++i) {
    const Candidate& candidate = tried[i].candidate;
    table.add({candidate.precision, std::to_string(candidate.beams),
               std::to_string(candidate.batch), std::to_string(candidate.threads),
               fixed(tried[i].speed(), 1) + "x", percent(tried[i].error_rate),
               human_bytes(static_cast<double>(tried[i].peak_bytes)),
               i == best ? "<- recommended" : ""});
  }
  std::string text =
      table.text() + "\nspeed: audio time / processing time; words: " + errors + "\nrecommended:";
  for (const auto& [option, value] : options_of(tried[best].candidate))
    text.append(" ").append(option).append(" ").append(value);
  return text + "\n";
}

// Both lists are of the candidates tried so far; fewer threads are tried of the best alone.
void try_fewer_threads(Trials& trials) {
  Candidate fewer = trials.tried()[advised(trials.tried())].candidate;
  if (fewer.threads < 2) return;
  fewer.threads /= 2;
  trials.run(fewer);
}

}  // namespace

Results measure_advice(const BenchOptions& options) {
  Results results = results_of_mode("advise");
  const unsigned most = app::available_cpus();
  const unsigned threads = options.work.threads == 0 ? most : std::min(options.work.threads, most);
  Trials trials(options, results);
  const NoiseMeter noise;
  const double own_before = cpu_seconds();
  for (const Candidate& candidate : candidates_of(options, threads)) trials.run(candidate);
  if (options.work.threads == 0) try_fewer_threads(trials);
  const std::vector<Tried>& tried = trials.tried();
  const std::size_t best = advised(tried);
  const char* const errors = trials.has_references() ? kErrors : kDifference;
  double spread = 1;
  for (const Tried& each : tried) {
    add_figures(each, errors, results);
    spread = std::max(spread, summarize(each.seconds).spread());
  }
  results.noise = judge_noise(spread, noise.noise(cpu_seconds() - own_before));
  results.advice = options_of(tried[best].candidate);
  results.options = {{"model", std::filesystem::path(options.work.model).filename().string()},
                     {"device_requested", options.work.device.requested},
                     {"files", std::to_string(trials.files().size())}};
  if (!trials.has_references()) {
    results.notes.emplace_back(
        "there is no reference text: words are those that differ, case and punctuation included, "
        "from what fp32 with 5 beams hears, which may itself be wrong (--references)");
  }
  results.text = table_of(tried, best, errors);
  return results;
}

}  // namespace wnpu::bench
