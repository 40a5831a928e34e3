// Arguments -> options -> run -> exit code. Reading order: options.h, run.cpp, transcriber.cpp.
#include <algorithm>
#include <cstdlib>
#include <iostream>
#include <span>
#include <unistd.h>
#include <vector>

#include "app/exit_code.h"
#include "app/file_transcriber.h"
#include "app/isa_override.h"
#include "app/options.h"
#include "app/output_file.h"
#include "app/output_plan.h"
#include "app/progress.h"
#include "app/run.h"
#include "app/signals.h"
#include "app/subcommand.h"

namespace {

using namespace wnpu::app;

int transcribe(const Options& options) {
  const Environment environment{
      .out = STDOUT_FILENO,
      .err = &std::cerr,
      .shows_progress =
          wants_progress(options.verbosity, ::isatty(STDERR_FILENO) != 0, std::getenv("TERM")),
      .stop_signal = received_signal};
  const std::vector<PlannedInput> plan = plan_outputs(options);
  const Setup setup = set_up(options);
  Messages messages(std::cerr, options.verbosity, false);
  if (!setup.device.info.reason.empty()) {
    messages.note("device " + setup.device.info.used + ": " + setup.device.info.reason);
  }
  check_inputs(plan);
  FileTranscriber transcriber(options, setup);
  const TranscribeFn transcribe_file = [&](const std::string& input, const Callbacks& callbacks) {
    return transcriber.transcribe(input, callbacks);
  };
  return run(options, plan, transcribe_file, environment);
}

int run_command_line(std::span<const char* const> arguments) {
  const std::vector<Subcommand> others = subcommands();
  const CommandLine line = parse_command_line(arguments, others);
  if (line.command == Command::transcribe) return transcribe(line.options);
  if (line.command == Command::other) return line.run();
  write_all(STDOUT_FILENO, line.text, "stdout");
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

int main(int argc, char** argv) {
  install_signal_handlers();
  try {
    override_instruction_set(std::getenv("WNPU_ISA"));
    const std::vector<const char*> arguments(argv + std::min(argc, 1), argv + argc);
    return run_command_line(arguments);
  } catch (const BrokenPipe& error) {
    return exit_code_of(error);
  } catch (const std::exception& error) {
    Messages(std::cerr, Verbosity::normal, false).error(error.what());
    return exit_code_of(error);
  }
}
