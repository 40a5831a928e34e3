// Arguments -> options -> run -> exit code.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <iostream>
#include <span>
#include <unistd.h>
#include <vector>

#include "app/cli/command_line.h"
#include "app/commands/commands.h"
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
#include "app/model_store/ready_model.h"
#include "app/options/exit_code.h"
#include "app/options/isa_override.h"
#include "app/options/output_options.h"
#include "app/output/output_plan.h"
#include "app/system/mapped_file_fault.h"
#include "app/system/progress.h"
#include "app/system/signals.h"
#include "app/system/write_all.h"
#include "models/kernels/vectors/blas.h"
#include "npu/probe.h"

namespace {

using namespace wnpu::app;

int run_dry(const Options& options, const std::vector<PlannedInput>& plan,
            const Environment& environment, BatchProgress& progress) {
  Messages messages(std::cerr, options.verbosity, false);
  InputAudio inputs(options, std::cerr);
  const ChosenDevice chosen = choose_device(options.device, wnpu::npu::probe(), 1);
  if (progress.n_begun == 0) note_device(chosen.info, options.threads, options, messages);
  check_only_input(plan);
  const TranscribeFn read = [&](const std::string& input, const wnpu::Callbacks& calls) {
    return inputs.read(input, calls.should_stop,
                       [&](const wnpu::Audio& audio) { return wnpu::read_audio(audio, calls); });
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
  wnpu::kernels::use_gemm(options.gemm);
  const wnpu::Model model(options.model, {options.model_dir, options.device, options.threads});
  model.check(options.transcribe);
  if (progress.n_begun == 0) note_device(model.device(), model.threads(), options, messages);
  wnpu::Session session(model);
  const TranscribeFn transcribe = [&](const std::string& input, const wnpu::Callbacks& calls) {
    return inputs.read(input, calls.should_stop, [&](const wnpu::Audio& audio) {
      return with_option_names(session.transcribe(audio, options.transcribe, calls));
    });
  };
  keep_results_when_stopped();
  if (!options.watch.empty()) return watch_folder(options, transcribe, environment);
  return run(options, plan, transcribe, environment, progress);
}

int transcribe(const CommandLine& line) {
  Options options = with_files_of_folders(with_urls(line.options));
  Messages messages(std::cerr, options.verbosity, false);
  for (const auto& each : line.notes) messages.note(each);
  for (const auto& link : options.skipped_links) messages.note(skipped_link_text(link));
  const Environment environment = environment_of_process(options);
  if (!options.manifest.file.empty()) return transcribe_manifest(options, environment);
  const std::vector<PlannedInput> plan = plan_outputs(options);
  if (!options.watch.empty()) check_watched(options);
  if (!plan.empty() || !options.watch.empty()) make_model_ready(options, messages);
  const BatchFn batch = [&](BatchProgress& progress) {
    const auto work = [&] { return run_batch(options, plan, environment, progress); };
    return exit_code_after([&] { return run_with_origins(line.origins, work); }, only_input(plan));
  };
  if (is_isolated(options)) return run_isolated(options, plan, batch, environment);
  BatchProgress progress;
  return batch(progress);
}

int run_command_line(std::span<const char* const> arguments) {
  const std::vector<Subcommand> others = commands_beside_transcribe();
  use_log_format(log_format_among(arguments, std::getenv("WHISPER_NPU_LOG_FORMAT")));
  const CommandLine line = parse_command_line(arguments, others, surroundings_of_process());
  const bool transcribes = line.command == Command::transcribe;
  use_log_format(transcribes ? line.options.log_format : LogFormat::text);
  if (transcribes) return run_with_origins(line.origins, [&] { return transcribe(line); });
  if (line.command == Command::other) return run_with_origins(line.origins, line.run);
  print_report(line.text);
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

int main(int argc, char** argv) {
  fill_standard_descriptors();
  std::set_terminate(end_uncaught);
  install_signal_handlers();
  install_mapped_file_handler();
  const DescriptorStream waits_for_stderr(std::cerr, STDERR_FILENO);
  return exit_code_after([&] {
    override_instruction_set(std::getenv("WNPU_ISA"));
    return run_command_line({argv + std::min(argc, 1), argv + argc});
  });
}
