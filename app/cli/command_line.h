// The words of a command line -> a command and its options.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/cli/completions.h"
#include "app/options/options.h"
#include "app/options/settings.h"
#include "app/options/subcommand.h"

namespace wnpu::app {

enum class Command { transcribe, print, other };

struct CommandLine {
  Command command = Command::transcribe;
  Options options;                      // of transcribe
  std::string text;                     // of print: what --help or --version say, for stdout
  std::function<int()> run;             // of other: a Subcommand's
  Origins origins;                      // of the options that the command line leaves open
  std::vector<std::string> notes = {};  // for stderr, unless quiet
};

// Throws UsageError. `arguments` are main's, without the program's name; `others` are the commands
// beside transcribe, and outlive the call. What the command line does not give comes from the
// environment, else from the configuration file, else is the default.
CommandLine parse_command_line(std::span<const char* const> arguments,
                               std::span<const Subcommand> others = {},
                               const ConfigSources& surroundings = {});
// The manual page of all that parse_command_line takes, in troff.
std::string manual_page(std::span<const Subcommand> others);
// A shell's script that completes it; `models` can be pulled by name.
std::string completions(std::span<const Subcommand> others, const std::vector<std::string>& models,
                        Shell shell);

}  // namespace wnpu::app
