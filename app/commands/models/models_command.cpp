#include "app/commands/models/models_command.h"

#include "app/commands/models/convert_command.h"
#include "app/commands/models/export_command.h"
#include "app/commands/models/hub_actions.h"
#include "app/commands/models/import_command.h"

namespace wnpu::app {

Subcommand models_command() {
  return {"models",
          "Models by name, and model files themselves",
          {},
          {},
          {list_action(), pull_action(), verify_action(), remove_action(), path_action(),
           info_action(), convert_action(), export_action(), import_action()}};
}

}  // namespace wnpu::app
