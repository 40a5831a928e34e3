#include "app/commands/npu/npu_command.h"

#include "app/options/option_values.h"
#include "models/base/dims.h"
#include "npu/design/layer_abi.h"

namespace wnpu::app {

Subcommand npu_command() {
  return {"npu",
          "The array itself: its files, its first runs, its operators, single tensor operations",
          {},
          {},
          {check_action(), compute_action(), emit_action(), first_light_action(), op_action(),
           predict_action(), split_action()}};
}

void add_layer_options(CLI::App& app, std::string& size, std::string& precision) {
  add_name(app, "--size", models::size_names(), size, "Whose encoder layer");
  add_name(app, "--precision", npu::kPrecisionNames, precision, "Of the layer's products");
}

}  // namespace wnpu::app
