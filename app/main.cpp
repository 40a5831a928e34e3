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
#include "app/commands/transcribe_command.h"
#include "app/jobs/process.h"
#include "app/options/exit_code.h"
#include "app/options/kernels/isa_override.h"
#include "app/options/output_options.h"
#include "app/system/mapped_file_fault.h"
#include "app/system/progress.h"
#include "app/system/signals.h"
#include "app/system/write_all.h"

namespace {

using namespace wnpu::app;

int run_command_line(std::span<const char* const> arguments) {
  const std::vector<Subcommand> others = commands_beside_transcribe();
  use_log_format(log_format_among(arguments, std::getenv("WHISPER_NPU_LOG_FORMAT")));
  const CommandLine line = parse_command_line(arguments, others, config_sources_of_process());
  const bool transcribes = line.command == Command::transcribe;
  use_log_format(transcribes ? line.options.log_format : LogFormat::text);
  std::function<int()> work = line.run;
  if (transcribes) {
    work = [&] { return transcribe_command(line.options, line.notes, line.origins); };
  }
  if (work) return run_with_origins(line.origins, work);
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
