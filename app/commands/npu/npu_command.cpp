#include "app/commands/npu/npu_command.h"

#include <algorithm>
#include <iterator>

#include "app/commands/npu/compute_command.h"
#include "app/commands/npu/emit_command.h"
#include "app/commands/npu/first_light_command.h"
#include "app/commands/npu/op_command.h"
#include "app/commands/npu/split_command.h"
#include "app/commands/npu/tune_command.h"

namespace wnpu::app {

Subcommand npu_command(std::vector<Subcommand> more) {
  Subcommand command{
      "npu",
      "The array itself: its files, its first runs, its operators, single tensor operations",
      {},
      {},
      {compute_action(), emit_action(), first_light_action(), op_action(), split_action(),
       tune_action()}};
  std::ranges::move(more, std::back_inserter(command.actions));
  return command;
}

}  // namespace wnpu::app
