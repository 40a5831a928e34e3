// Arguments -> options -> run -> exit code; and the list of the commands.
#include <algorithm>
#include <cstdlib>
#include <exception>
#include <functional>
#include <iostream>
#include <new>
#include <span>
#include <unistd.h>
#include <vector>

#include "app/batch/isolated_batch.h"
#include "app/batch/mapped_file_fault.h"
#include "app/batch/output_plan.h"
#include "app/batch/progress.h"
#include "app/batch/run.h"
#include "app/batch/signals.h"
#include "app/batch/terminal.h"
#include "app/batch/unfinished_file.h"
#include "app/batch/write_all.h"
#include "app/cli/command_line.h"
#include "app/cli/exit_code.h"
#include "app/cli/isa_override.h"
#include "app/cli/subcommand.h"
#include "app/engine/device_choice.h"
#include "app/engine/error.h"
#include "app/engine/whisper_npu.hpp"
#include "bench/bench_command.h"
#include "models/kernels/vectors/blas.h"
#include "npu/probe.h"

namespace {

using namespace wnpu::app;
namespace bench = wnpu::bench;

// The text takes memory, which is perhaps what there is none of.
void tell(const std::exception& error) {
  try {
    Messages(std::cerr, Verbosity::normal, false).error(text_of(error));
  } catch (const std::exception&) {
    std::cerr << "whisper-npu: not enough memory\n";
  }
}

// What the process says to its caller, of errors too.
int exit_code_after(const std::function<int()>& work) {
  try {
    return work();
  } catch (const BrokenPipe& error) {
    return exit_code_of(error);
  } catch (const std::exception& error) {
    const bool is_stopped = error_code(error) == wnpu::ErrorCode::stopped;
    if (is_stopped) return static_cast<int>(ExitCode::signal) + received_signal();
    tell(error);
    return exit_code_of(error);
  }
}

// What was taken, where that is not what the options say.
void tell_device(const wnpu::DeviceInfo& device, unsigned threads, const Options& options) {
  Messages messages(std::cerr, options.verbosity, false);
  if (!device.reason.empty()) messages.detail("device " + device.used + ": " + device.reason);
  if (device.simulated) {
    messages.note("device sim: an NPU simulated on this CPU; no time of this run is an NPU's");
  }
  if (options.threads > threads) {
    messages.note("--threads " + std::to_string(options.threads) + ": this process may use " +
                  std::to_string(threads) + " CPUs, and takes as many threads");
  }
  if (device.used == "cpu" && asks_for_npu(options.device)) {
    messages.note("no NPU is used: --npu-plan, --npu-precision and --xclbin have no effect");
  }
}

wnpu::Audio audio_of(const std::string& input, const Options& options) {
  return {.path = input,
          .bytes = {},
          .raw_format = input == "-" ? options.stdin_format : "",
          .track = options.audio_track};
}

int run_batch(const Options& options, const std::vector<PlannedInput>& plan,
              const Environment& environment, BatchProgress& progress) {
  if (options.dry_run) {
    const ChosenDevice chosen = choose_device(options.device, wnpu::npu::probe(), 1);
    if (progress.n_begun == 0) tell_device(chosen.info, options.threads, options);
    check_inputs(plan);
    const TranscribeFn read = [&](const std::string& input, const wnpu::Callbacks& callbacks) {
      return wnpu::read_audio(audio_of(input, options), callbacks);
    };
    return run(options, plan, read, environment, progress);
  }
  check_inputs(plan);
  wnpu::kernels::use_gemm(options.gemm);
  const wnpu::Model model(options.model, {options.model_dir, options.device, options.threads});
  model.check(options.transcribe);
  if (progress.n_begun == 0) tell_device(model.device(), model.threads(), options);
  wnpu::Session session(model);
  const TranscribeFn transcribe = [&](const std::string& input, const wnpu::Callbacks& callbacks) {
    return session.transcribe(audio_of(input, options), options.transcribe, callbacks);
  };
  keep_results_when_stopped();
  return run(options, plan, transcribe, environment, progress);
}

int transcribe(const Options& options) {
  const Environment environment{
      .out = STDOUT_FILENO,
      .err = &std::cerr,
      .shows_progress =
          wants_progress(options.verbosity, ::isatty(STDERR_FILENO) != 0, std::getenv("TERM")),
      .columns = [] { return terminal_columns(STDERR_FILENO); },
      .stop_signal = received_signal};
  const std::vector<PlannedInput> plan = plan_outputs(options);
  const BatchFn batch = [&](BatchProgress& progress) {
    return exit_code_after([&] { return run_batch(options, plan, environment, progress); });
  };
  if (is_isolated(options)) return run_isolated(options, plan, batch, environment);
  BatchProgress progress;
  return batch(progress);
}

int run_command_line(std::span<const char* const> arguments) {
  const std::vector<Subcommand> others = {bench::bench_command()};
  const CommandLine line = parse_command_line(arguments, others);
  if (line.command == Command::transcribe) return transcribe(line.options);
  if (line.command == Command::other) return line.run();
  write_all(STDOUT_FILENO, line.text, "stdout");
  return static_cast<int>(ExitCode::ok);
}

// Where an exception cannot be caught: thrown in a destructor (nlohmann/json's allocate) or in what
// is noexcept. The documented exit codes hold there as well.
[[noreturn]] void end_uncaught() noexcept {
  remove_unfinished_file();
  int code = static_cast<int>(ExitCode::internal);
  try {
    if (std::current_exception()) std::rethrow_exception(std::current_exception());
  } catch (const std::exception& error) {
    tell(error);
    code = exit_code_of(error);
  } catch (...) {
    std::cerr << "whisper-npu: ended by an unknown exception\n";
  }
  ::_exit(code);
}

}  // namespace

int main(int argc, char** argv) {
  std::set_terminate(end_uncaught);
  install_signal_handlers();
  install_mapped_file_handler();
  const DescriptorStream waits_for_stderr(std::cerr, STDERR_FILENO);
  return exit_code_after([&] {
    override_instruction_set(std::getenv("WNPU_ISA"));
    const std::vector<const char*> arguments(argv + std::min(argc, 1), argv + argc);
    return run_command_line(arguments);
  });
}
