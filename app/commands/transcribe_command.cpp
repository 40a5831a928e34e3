#include "app/commands/transcribe_command.h"

#include <iostream>

#include "app/engine/devices/device_choice.h"
#include "app/engine/whisper_npu.hpp"
#include "app/input/input_audio.h"
#include "app/input/input_folders.h"
#include "app/input/url_inputs.h"
#include "app/jobs/isolated_batch.h"
#include "app/jobs/manifest/transcribe_manifest.h"
#include "app/jobs/notes.h"
#include "app/jobs/process.h"
#include "app/jobs/readable_input.h"
#include "app/jobs/run.h"
#include "app/jobs/watch_folder.h"
#include "app/model_store/ensure_model.h"
#include "app/options/exit_code.h"
#include "app/output/output_plan.h"
#include "app/system/progress.h"
#include "app/system/signals.h"
#include "app/system/write_all.h"
#include "models/kernels/vectors/blas.h"
#include "npu/probe.h"

namespace wnpu::app {
namespace {

int run_dry(const Options& options, const std::vector<PlannedInput>& plan,
            const Environment& environment, BatchProgress& progress) {
  Messages messages(std::cerr, options.verbosity, false);
  InputAudio inputs(options, std::cerr);
  const ChosenDevice chosen = choose_device(options.device, npu::probe(), 1);
  if (progress.n_begun == 0) note_device(chosen.info, options.threads, options, messages);
  check_only_input(plan);
  const TranscribeFn read = [&](const std::string& input, const Callbacks& calls) {
    return inputs.read(input, calls.should_stop,
                       [&](const Audio& audio) { return read_audio(audio, calls); });
  };
  return run(options, plan, read, environment, progress);
}

int run_batch(const Options& options, const std::vector<PlannedInput>& plan,
              const Environment& environment, BatchProgress& progress) {
  if (options.dry_run) return run_dry(options, plan, environment, progress);
  Messages messages(std::cerr, options.verbosity, false);
  InputAudio inputs(options, std::cerr);
  check_only_input(plan);
  if (plan.size() == 1 && !plan.front().is_skipped) {
    inputs.prepare(plan.front().input, [] { return received_signal() != 0; });
  }
  kernels::use_gemm(options.gemm);
  const Model model(options.model, {options.model_dir, options.device, options.threads});
  model.check(options.transcribe);
  if (progress.n_begun == 0) note_device(model.device(), model.threads(), options, messages);
  Session session(model);
  const TranscribeFn hear = [&](const std::string& input, const Callbacks& calls) {
    return inputs.read(input, calls.should_stop, [&](const Audio& audio) {
      return with_option_names(session.transcribe(audio, options.transcribe, calls));
    });
  };
  keep_results_when_stopped();
  if (!options.watch.empty()) return watch_folder(options, hear, environment);
  return run(options, plan, hear, environment, progress);
}

}  // namespace

int transcribe_command(const Options& given, const std::vector<std::string>& notes,
                       const Origins& origins) {
  Options options = with_files_of_folders(with_urls(given));
  Messages messages(std::cerr, options.verbosity, false);
  for (const auto& each : notes) messages.note(each);
  for (const auto& link : options.skipped_links) messages.note(skipped_link_text(link));
  const Environment environment = environment_of_process(options);
  if (!options.manifest.file.empty()) return transcribe_manifest(options, environment);
  const std::vector<PlannedInput> plan = plan_outputs(options);
  if (!options.watch.empty()) check_watched(options);
  if (!plan.empty() || !options.watch.empty()) ensure_model(options, messages);
  const BatchFn batch = [&](BatchProgress& progress) {
    const auto work = [&] { return run_batch(options, plan, environment, progress); };
    return exit_code_after([&] { return run_with_origins(origins, work); }, only_input(plan));
  };
  if (is_isolated(options)) return run_isolated(options, plan, batch, environment);
  BatchProgress progress;
  return batch(progress);
}

}  // namespace wnpu::app
