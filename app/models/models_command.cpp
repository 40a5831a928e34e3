#include "app/models/models_command.h"

#include "app/models/export_command.h"
#include "app/models/import_command.h"

namespace wnpu::app {

Subcommand models_command() {
  return {"models", "Model files themselves", {}, {}, {export_action(), import_action()}};
}

}  // namespace wnpu::app
