#include "app/commands/npu/npu_command.h"

#include "app/commands/npu/compute_command.h"
#include "app/commands/npu/emit_command.h"
#include "app/commands/npu/first_light_command.h"
#include "app/commands/npu/op_command.h"
#include "app/commands/npu/predict_command.h"
#include "app/commands/npu/split_command.h"

namespace wnpu::app {

Subcommand npu_command() {
  return {"npu",
          "The array itself: its files, its first runs, its operators, single tensor operations",
          {},
          {},
          {check_action(), compute_action(), emit_action(), first_light_action(), op_action(),
           predict_action(), split_action()}};
}

}  // namespace wnpu::app
