// The command `config`: it prints what the others would take.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

#include "app/options/settings.h"

namespace wnpu::app {

struct ConfigRequest {
  bool with_origin = false;
  bool as_json = false;
};

// Declares it. `request` must outlive the command.
void add_config_command(CLI::App& program, ConfigRequest& request);
// --config, for each command that has something to set.
void add_config_option(CLI::App& command);

// Output of the command, once `program` is parsed and the command was named; none of its options
// are read otherwise. Throws UsageError if an action is missing, or the file is wrong.
std::string config_output(const CLI::App& program, const CLI::App& usual,
                          const ConfigRequest& request, const ConfigPlace& place,
                          const ConfigSources& surroundings);

}  // namespace wnpu::app
