// --kernels: each kernel alone, on the CPU and on the simulated array.
#include <algorithm>
#include <iostream>

#include "app/engine/available_cpus.h"
#include "app/options/exit_code.h"
#include "app/system/progress.h"
#include "bench/core/modes.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "bench/encoder/encoder_times.h"
#include "bench/encoder/kernel_rows.h"
#include "bench/input/model_sizes.h"
#include "models/kernels/products/gemm.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/ops.h"

namespace wnpu::bench {
namespace {

// "12.3", "0.0123": three figures.
std::string three_digits(double value) {
  const int digits = value >= 100 ? 0 : value >= 10 ? 1 : value >= 1 ? 2 : value >= 0.1 ? 3 : 4;
  return fixed(value, digits);
}

// Empty where the kernel was faster than the peak's best round: then that, and not the kernel, was
// disturbed, and the share says nothing.
std::string share_text(const KernelRow& row) {
  return row.share_of_peak() > 1 ? "" : percent(row.share_of_peak());
}

std::string cpu_table(const std::vector<KernelRow>& rows) {
  TextTable table({"kernel", "shape", "threads", "time", "GFLOP/s", "of peak", "kind"});
  for (const KernelRow& row : rows) {
    table.add({row.name, row.shape, std::to_string(row.threads), human_seconds(row.seconds),
               three_digits(row.gflops()), share_text(row), name_of(row.origin)});
  }
  return table.text();
}

std::string array_table(const std::vector<KernelRow>& rows) {
  TextTable table({"kernel", "shape", "time", "with launch", "GFLOP/s", "of peak", "kind",
                   "published, with launch"});
  for (const KernelRow& row : rows) {
    table.add({row.name, row.shape, human_seconds(row.seconds),
               human_seconds(row.seconds + row.launch_s), three_digits(row.gflops()),
               share_text(row), name_of(row.origin),
               row.published_ms ? human_seconds(1e-3 * *row.published_ms) : ""});
  }
  return table.text();
}

void add_kernel_figures(const std::vector<KernelRow>& rows, const std::string& where,
                        Results& results) {
  for (const KernelRow& row : rows) {
    Figure figure;
    figure.name = row.name;
    figure.unit = "s";
    figure.origin = row.origin;
    figure.value = row.seconds;
    figure.runs = row.runs;
    figure.labels = {{"shape", row.shape}, {"on", where}, {"gflops", three_digits(row.gflops())}};
    if (!share_text(row).empty()) {
      figure.labels.emplace_back("share_of_peak", fixed(row.share_of_peak(), 4));
    }
    if (row.threads > 0) figure.labels.emplace_back("threads", std::to_string(row.threads));
    if (row.launch_s > 0) figure.note = "without its launch, " + human_seconds(row.launch_s);
    results.figures.push_back(std::move(figure));
  }
}

// Each as a figure of its own, once: the array's rows name them.
void add_published(const std::vector<KernelRow>& rows, Results& results) {
  for (const KernelRow& row : rows) {
    if (!row.published_ms) continue;
    results.figures.push_back(
        figure_of_value(row.name, "s", 1e-3 * *row.published_ms,
                        {{"shape", row.shape}, {"on", "Phoenix, November 2025"}}, "with launch"));
    results.figures.back().origin = Origin::kPublished;
  }
}

// p90 / p10 of the kernel whose runs differ most.
double largest_spread(const std::vector<KernelRow>& rows) {
  double spread = 1;
  for (const KernelRow& row : rows) {
    if (row.runs) spread = std::max(spread, row.runs->spread());
  }
  return spread;
}

std::string peaks_text(const MachinePeaks& peaks) {
  std::string text;
  for (const Peaks& p : {peaks.one, peaks.all}) {
    if (!text.empty() && p.threads == 1) break;  // one thread is all
    text += "peak of " + std::to_string(p.threads) + (p.threads == 1 ? " thread" : " threads") +
            " (measured): " + three_digits(p.fma_gflops) + " GFLOP/s fp32, " +
            three_digits(p.integer_gops) + " Gop/s int16, " +
            (p.byte_gops > 0 ? three_digits(p.byte_gops) + " Gop/s int8, " : "") +
            three_digits(p.read_gb_per_s) + " GB/s read from memory, " + p.instruction_set + "\n";
  }
  return text;
}

void add_peak_figures(const MachinePeaks& peaks, const npu::HardwareModel& preset,
                      Results& results) {
  const Labels cpu = {{"on", "CPU"}, {"threads", std::to_string(peaks.all.threads)}};
  const auto add = [&results](const char* name, const char* unit, double value,
                              const Labels& labels, const char* note) {
    results.figures.push_back(figure_of_value(name, unit, value, labels, note));
  };
  add("peak", "GFLOP/s", peaks.all.fma_gflops, cpu, "fp32 multiply-add");
  add("peak", "Gop/s", peaks.all.integer_gops, cpu, "int16 products, int32 sums");
  if (peaks.all.byte_gops > 0) {
    add("peak", "Gop/s", peaks.all.byte_gops, cpu, "products of bytes, int32 sums");
  }
  add("memory read", "GB/s", peaks.all.read_gb_per_s, cpu, "");
  add("peak", "GFLOP/s", array_peak_gflops(preset), {{"on", preset.name}},
      "bf16, 128 multiply-adds a core and cycle");
  results.figures.back().origin = Origin::kModelled;
}

}  // namespace

Results measure_kernels(const BenchOptions& options) {
  app::Messages messages(std::cerr, options.work.verbosity, false);
  // Shapes are all that is needed of the model.
  const models::Dims dims = encoder_asked_for(options, 1).dims;
  const npu::HardwareModel preset = npu::find_preset(options.work.device.preset);
  if (!fits_array(dims)) throw app::UsageError("--kernels: the array wants attention heads of 64");
  models::ThreadPool pool(options.work.threads > 0 ? options.work.threads : app::available_cpus());
  Results results = results_of_mode("kernels");
  const NoiseMeter noise;
  const double own_before = own_cpu_seconds();
  messages.note("peaks");
  const MachinePeaks peaks =
      measure_machine_peaks(static_cast<unsigned>(pool.n_threads()), options.calibration);
  messages.note("kernels");
  const auto cpu = cpu_kernels(dims, pool, peaks, {options.runs, 2e-3});
  results.noise = judge_noise(largest_spread(cpu), noise.noise(own_cpu_seconds() - own_before));
  const auto array = array_kernels(dims, preset);

  results.options = {{"model", options.size.empty() ? options.work.model : options.size},
                     {"threads", std::to_string(pool.n_threads())},
                     {"kernels", kernels::kernel_description()},
                     {"blas", kernels::has_blas() ? kernels::blas_description() : "not installed"},
                     {"npu_preset", preset.name}};
  add_peak_figures(peaks, preset, results);
  add_kernel_figures(cpu, "CPU", results);
  add_kernel_figures(array, preset.name, results);
  add_published(array, results);
  results.text = peaks_text(peaks) + "\n" + cpu_table(cpu) + "\npeak of the array, " + preset.name +
                 " (modelled): " + three_digits(array_peak_gflops(preset)) + " GFLOP/s bf16, " +
                 three_digits(preset.ddr_read_gb_per_s) + " GB/s read\n\n" + array_table(array);
  results.notes = {
      "operations of elementwise kernels are counted as written: exp, erf and sqrt are one each",
      "the array has no softmax by itself: a row's whole attention stands in its place, and 64x64 "
      "products come one a core",
      "the array's times are of calls under their control programs: the controller's time, which "
      "is most of a single row's, is in them, the launch is not",
      "published: calls of one kernel on an AMD Phoenix, November 2025, launch included"};
  return results;
}

}  // namespace wnpu::bench
