#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/devices/checks.h"
#include "app/commands/devices/devices_command.h"
#include "app/options/exit_code.h"
#include "app/options/work_options.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

struct Visit {
  Options options;
  bool json = false;
};

void add_doctor_options(CLI::App& app, Visit& visit) {
  add_place_options(app, visit.options);
  app.add_flag("--json", visit.json,
               "JSON on stdout instead of text, by doctor.schema.json (in "
               "share/whisper-npu/schemas)");
}

int examine(const Visit& visit, const std::vector<std::string>& /*files*/) {
  const std::vector<Check> checks = check_all(visit.options);
  print_report(visit.json ? checks_json(checks) : checks_text(checks));
  return static_cast<int>(is_well(checks) ? ExitCode::ok : ExitCode::some_failed);
}

}  // namespace

Subcommand doctor_command() {
  return subcommand("doctor",
                    "Whether what a transcription needs is there and works, and what mends it",
                    add_doctor_options, examine);
}

}  // namespace wnpu::app
