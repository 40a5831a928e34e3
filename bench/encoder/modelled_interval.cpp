#include "bench/encoder/modelled_interval.h"

#include <algorithm>

#include "bench/core/text_table.h"
#include "bench/input/model_sizes.h"
#include "npu/control/controller_costs.h"
#include "npu/first_light/table_fields.h"

namespace wnpu::bench {
namespace {

// The table of one part of a layer cannot bound the whole.
bool is_of_a_layer(const npu::KernelTable& table) { return table.name != "gemm"; }

ModelledLayer base_layer(const std::string& clock, const npu::HardwareModel& preset) {
  npu::EncoderShape base = encoder_shape(*dims_of_size("base"));
  base.layers = 1;
  const npu::PlanCost cost = npu::model_plan(base, 1500, npu::Plan::fused, preset);
  return {clock, std::string(preset.kernels.name), preset.kernels.rests_on, cost.modelled_ms(),
          cost.controller};
}

}  // namespace

std::vector<ModelledLayer> modelled_base_layers(const npu::MeasuredTable* measured) {
  std::vector<ModelledLayer> layers;
  if (measured != nullptr) {
    layers.push_back(base_layer(measured->preset.name, measured->preset));
  }
  for (const std::string_view clock : npu::clock_preset_names()) {
    const auto first = static_cast<std::ptrdiff_t>(layers.size());
    for (const npu::KernelTable& table : npu::kernel_tables()) {
      if (!is_of_a_layer(table)) continue;
      layers.push_back(base_layer(std::string(clock), npu::find_preset(std::string(clock) + "/" +
                                                                       std::string(table.name))));
    }
    std::ranges::sort(layers.begin() + first, layers.end(), {}, &ModelledLayer::ms);
  }
  return layers;
}

std::string interval_text(const std::vector<ModelledLayer>& layers) {
  TextTable table({"one layer of base", "kernels", "modelled", "controller", "hidden", "rests on"});
  for (const ModelledLayer& layer : layers) {
    table.add({layer.clock, layer.kernels, fixed(layer.ms, 1) + " ms",
               fixed(layer.controller.busy_ms, 1) + " ms",
               fixed(100 * layer.controller.hidden(), 0) + " %", std::string(layer.rests_on)});
  }
  return table.text();
}

std::string controller_text(const std::vector<ModelledLayer>& layers,
                            const npu::MeasuredTable* measured) {
  const npu::ControllerShare& share = layers.front().controller;
  std::vector<const npu::ControllerCosts*> all{&npu::phoenix_controller(),
                                               &npu::phoenix_queued_controller()};
  if (measured != nullptr) all.insert(all.begin(), measured->costs.get());
  TextTable table({"controller", "operation", "cycles", "provenance", "source"});
  for (const npu::ControllerCosts* costs : all) {
    for (const npu::CostField& field : npu::kCostFields) {
      const npu::Rate& rate = costs->*field.rate;
      table.add({std::string(costs->name), field.text, fixed(rate.value, 1),
                 std::string(npu::provenance_name(rate.provenance)), std::string(rate.source)});
    }
  }
  return "a layer of base is " + std::to_string(share.tasks) + " tasks, " +
         std::to_string(share.descriptors) + " descriptors written, " +
         std::to_string(share.operations) + " operations, " + std::to_string(share.bytes) +
         " bytes for one controller; times are with " +
         std::string(npu::phoenix_controller().name) +
         (measured == nullptr ? "" : ", first light's with its own") + ":\n" + table.text();
}

std::string kernel_rates_text(const npu::MeasuredTable* measured) {
  TextTable table({"kernels", "rate", "value", "provenance", "source"});
  std::vector<npu::KernelTable> all(npu::kernel_tables().begin(), npu::kernel_tables().end());
  if (measured != nullptr) all.insert(all.begin(), measured->preset.kernels);
  for (const npu::KernelTable& kernels : all) {
    for (const npu::RateField& field : npu::kRateFields) {
      const npu::Rate& rate = kernels.*field.rate;
      table.add({std::string(kernels.name), field.text, fixed(rate.value, 2),
                 std::string(npu::provenance_name(rate.provenance)), std::string(rate.source)});
    }
  }
  return table.text();
}

}  // namespace wnpu::bench
