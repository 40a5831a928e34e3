// A command line, a word a line.
#include "app/options/options.h"

#include <string>
#include <vector>

#include "app/cli/command_line.h"
#include "app/cli/version.h"
#include "app/options/exit_code.h"
#include "app/options/work_options.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace wnpu;

// A command with transcribe's work options, as bench is one.
std::vector<app::Subcommand> other_commands() {
  static app::Options options;
  options = {};
  return {{"bench", "Measure", [](CLI::App& command) { app::add_work_options(command, options); },
           [](const std::vector<std::string>&) { return 0; }}};
}

}  // namespace

// In place of the program's own, which asks every library for its version.
namespace wnpu::app {
std::string version_text(bool) { return "whisper-npu"; }
}  // namespace wnpu::app

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  std::vector<std::string> words(1);
  for (const char c : fuzz::as_text(data, size)) {
    if (c == '\n') {
      words.emplace_back();
    } else {
      words.back() += c;
    }
  }
  std::vector<const char*> arguments;
  for (const std::string& word : words) arguments.push_back(word.c_str());
  const std::vector<app::Subcommand> others = other_commands();
  try {
    const app::CommandLine line = app::parse_command_line(arguments, others);
    const bool has_work = line.command != app::Command::transcribe || !line.options.inputs.empty();
    if (!has_work) __builtin_trap();
  } catch (const app::UsageError&) {
  }
  return 0;
}
