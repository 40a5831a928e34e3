#include "app/commands/npu/layer_options.h"

#include "app/options/option_values.h"
#include "models/base/dims.h"
#include "npu/design/layer_abi.h"

namespace wnpu::app {

void add_layer_options(CLI::App& app, std::string& size, std::string& precision) {
  add_name(app, "--size", models::size_names(), size, "Whose encoder layer");
  add_name(app, "--precision", npu::kPrecisionNames, precision, "Of the layer's products");
}

}  // namespace wnpu::app
