#include "app/cli/config_command.h"

#include <algorithm>

#include "app/cli/config_report.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"

namespace wnpu::app {

void add_config_command(CLI::App& program, ConfigRequest& request) {
  CLI::App* const config =
      program.add_subcommand("config", "Options from the environment and the configuration file");
  CLI::App* const show = config->add_subcommand(
      "show", "Values of transcribe's options, as a configuration file that gives them");
  show->add_flag("--origin", request.with_origin,
                 "Where each comes from: default, a variable, the file and its line");
  show->add_flag("--json", request.as_json,
                 "JSON on stdout instead of TOML, with the origins, "
                 "by config.schema.json (in share/whisper-npu/schemas)");
  config->add_subcommand("path", "The configuration file that is read where it is there");
  for (CLI::App* action : config->get_subcommands([](CLI::App*) { return true; })) {
    for (CLI::Option* option : action->get_options()) option->configurable(false);
    add_config_option(*action);
  }
}

void add_config_option(CLI::App& command) {
  add_group(command, "Configuration", [&] {
    command
        .add_option(kConfigOption,
                    "Configuration file; nothing after = means none; "
                    "WHISPER_NPU_CONFIG's if not given")
        ->type_name("FILE")
        ->configurable(false);
  });
}

std::string config_output(const CLI::App& program, const CLI::App& usual,
                          const ConfigRequest& request, const ConfigPlace& place,
                          const Surroundings& surroundings) {
  const CLI::App& config = *program.get_subcommand("config");
  if (config.get_subcommands().empty()) {
    throw UsageError("config: expected show or path (see --help)");
  }
  if (config.got_subcommand("path")) {
    return place.file.empty() ? "" : place.file.string() + "\n";
  }
  const std::string file = place.file.string();
  const ConfigReport report = {
      .place = place,
      .usual = &usual,
      .of_file = settings_of(read_config(place), file, program, usual),
      .of_environment = settings_of(surroundings, usual),
  };
  return request.as_json ? config_json(report) : config_text(report, request.with_origin);
}

}  // namespace wnpu::app
