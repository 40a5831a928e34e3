#include <algorithm>
#include <filesystem>
#include <iostream>
#include <memory>

#include "app/engine/model_path.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/rtf/rtf.h"
#include "bench/rtf/rtf_figures.h"

namespace wnpu::bench {
namespace {

// Loads of the model that are measured: enough for a median, few enough for large models.
constexpr std::size_t kLoads = 3;

RtfRun run_all(TranscribeRuns& program, const std::vector<std::string>& files,
               std::vector<FileRun>* keep) {
  RtfRun sum;
  for (const std::string& file : files) {
    FileRun run = program.run(file);
    sum.add(run);
    if (keep != nullptr) keep->push_back(std::move(run));
  }
  return sum;
}

// The faster of two, each as fast as it was at its best.
Calibration fastest(const Calibration& a, const Calibration& b) {
  return {a.threads, std::min(a.gemm_s, b.gemm_s), std::min(a.copy_s, b.copy_s)};
}

std::vector<Heard> heard_in(const std::vector<std::string>& files,
                            const std::vector<FileRun>& runs) {
  std::vector<Heard> heard;
  for (std::size_t i = 0; i < files.size(); ++i) {
    const Transcript& transcript = runs[i].transcript;
    heard.push_back(
        {"whisper-npu", files[i], transcript.input.duration, text_of(transcript), {}, {}});
  }
  return heard;
}

}  // namespace

void RtfRun::add(const FileRun& file) {
  const Timing& t = file.transcript.timing;
  timing.load = t.load;
  timing.decode_audio += t.decode_audio;
  timing.vad += t.vad;
  timing.mel += t.mel;
  timing.encode += t.encode;
  timing.decode += t.decode;
  output_s += file.output_s;
  total_s += file.total_s;
  n_windows += file.transcript.n_windows;
  n_tokens += file.transcript.n_tokens;
  audio_s += file.transcript.input.duration;
}

double RtfRun::rest_share() const {
  const double stages =
      timing.decode_audio + timing.vad + timing.mel + timing.encode + timing.decode + output_s;
  return (total_s - stages) / total_s;
}

std::vector<std::string> files_to_measure(const BenchOptions& options,
                                          const References& references) {
  const std::vector<std::string>& named = options.work.inputs;
  if (std::ranges::find(named, "-") != named.end()) {
    throw app::UsageError("-: bench reads its files again and again, stdin can be read once only");
  }
  if (!named.empty()) return named;
  if (!references.is_empty()) return references.files(options.work.transcribe.language);
  const auto sample = app::model_folder() / "samples" / "jfk.wav";
  std::error_code error;
  if (!std::filesystem::exists(sample, error)) {
    throw app::UsageError("no files, and no sample speech at " + sample.string() +
                          ": name files, or run app/quickstart.sh, which fetches it");
  }
  return {sample.string()};
}

Results measure_rtf(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  const References references(options.references);
  const std::vector<std::string> files = files_to_measure(options, references);

  std::vector<double> loads;
  std::unique_ptr<TranscribeRuns> program;
  for (std::size_t i = 0; i < kLoads; ++i) {
    program.reset();  // one model in memory at a time
    program = std::make_unique<TranscribeRuns>(options.work);
    loads.push_back(program->load_s());
  }
  messages.note("model loaded; warming up");
  run_all(*program, files, nullptr);
  const auto peak_memory = static_cast<double>(peak_rss_bytes());  // before the calibration's own

  Results results = results_of_mode("rtf");
  const Calibration before = calibrate(program->threads());
  const NoiseMeter noise;
  const EnergyMeter energy;
  const double own_before = own_cpu_seconds();
  std::vector<RtfRun> runs;
  std::vector<FileRun> last;
  for (std::size_t i = 0; i < options.runs; ++i) {
    last.clear();
    runs.push_back(run_all(*program, files, &last));
    messages.note("run " + std::to_string(i + 1) + " of " + std::to_string(options.runs));
  }
  const auto joules = energy.joules();
  const auto others = noise.noise(own_cpu_seconds() - own_before);
  results.calibration = fastest(before, calibrate(program->threads()));

  BenchOptions settled = options;
  settled.work.threads = program->threads();
  results.options = option_list(settled, files, last.front().transcript);
  add_stage_figures(loads, runs, results);
  add_device_figures(last, results);
  results.figures.push_back(figure_of_value("peak memory", "bytes", peak_memory));
  add_energy(energy, joules, runs.size(), results);
  results.noise = judge_noise(summarize(totals_of(runs)).spread(), others);
  for (Figure& rate : error_rates(add_heard(heard_in(files, last), references, results))) {
    rate.labels = {{"program", "whisper-npu"}};
    results.figures.push_back(std::move(rate));
  }
  results.text = rtf_text(results);
  return results;
}

}  // namespace wnpu::bench
