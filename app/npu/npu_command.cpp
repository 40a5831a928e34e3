#include "app/npu/npu_command.h"

#include <algorithm>
#include <iterator>

#include "app/npu/compute_command.h"
#include "app/npu/emit_command.h"
#include "app/npu/first_light_command.h"
#include "app/npu/op_command.h"
#include "app/npu/split_command.h"
#include "app/npu/tune_command.h"

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
