// The words of a command line -> a command and its options.
#pragma once

#include <functional>
#include <span>
#include <string>

#include "app/cli/completions.h"
#include "app/cli/options.h"
#include "app/cli/subcommand.h"

namespace wnpu::app {

enum class Command { transcribe, print, other };

struct CommandLine {
  Command command = Command::transcribe;
  Options options;           // of transcribe
  std::string text;          // of print: what --help or --version say, for stdout
  std::function<int()> run;  // of other: a Subcommand's
};

// Throws UsageError. `arguments` are main's, without the program's name; `others` are the commands
// beside transcribe, and outlive the call.
CommandLine parse_command_line(std::span<const char* const> arguments,
                               std::span<const Subcommand> others = {});
// The manual page of all that parse_command_line takes, in troff.
std::string manual_page(std::span<const Subcommand> others);
// A shell's script that completes it.
std::string completions(std::span<const Subcommand> others, Shell shell);

}  // namespace wnpu::app
