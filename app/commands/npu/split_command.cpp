#include <cstdio>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/npu/calls.h"
#include "app/commands/npu/npu_command.h"
#include "app/engine/devices/device_names.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/system/write_all.h"
#include "models/base/dims.h"
#include "npu/plans/split_model.h"

namespace wnpu::app {
namespace {

constexpr std::uint64_t kMostWindows = 64;  // that are decoded together
constexpr std::uint64_t kMostMegabytes = 1 << 20;

struct Question {
  std::string size = "base";
  std::string precision = "bf16";
  std::string preset{npu::kDefaultPreset};
  std::size_t devices = 2;
  std::size_t windows = 1;
  std::size_t memory_mb = 0;
};

double megabytes(std::uint64_t bytes) { return static_cast<double>(bytes) / 1e6; }

std::string split_row(const npu::SplitCost& cost) {
  const std::string name(npu::split_name(cost.split));
  if (!cost.refusal.empty()) return name + ": cannot be: " + cost.refusal + "\n";
  char row[160];
  (void)std::snprintf(row, sizeof row, "%-8s %10.1f %13.1f %17.1f\n", name.c_str(),
                      cost.modelled_ms, megabytes(cost.exchanged_bytes),
                      megabytes(cost.device_bytes));
  return row;
}

std::string best_of(const std::vector<npu::SplitCost>& costs) {
  try {
    return "the model takes: " + std::string(npu::split_name(npu::best_split(costs).split)) + "\n";
  } catch (const std::invalid_argument&) {
    return "the model takes none\n";
  }
}

int run_split(const Question& question, const std::vector<std::string>& /*files*/) {
  const npu::LayerShape layer = layer_shape(question.size);
  const models::Dims dims = models::dims_of_size(question.size).value();
  const npu::HardwareModel preset = npu::find_preset(question.preset);
  const std::optional<npu::PlanFile> no_plan_file;
  npu::SplitModel model({layer.width, layer.heads, layer.hidden, dims.n_audio_layer}, layer.frames,
                        npu::find_precision(question.precision).value(), npu::Plan::fused,
                        no_plan_file, preset);
  const std::vector<npu::SplitCost> costs =
      model.costs(question.devices, question.windows, question.memory_mb * 1000000);
  std::string text = question.size + ", " + question.precision + ", plan fused, " + preset.name +
                     ": " + std::to_string(question.windows) + " windows at once on " +
                     std::to_string(question.devices) + " devices, all modelled\n";
  text += "split    all done ms  exchanged MB  most on a device MB\n";
  for (const npu::SplitCost& cost : costs) text += split_row(cost);
  text += best_of(costs);
  print_report(text);
  return static_cast<int>(ExitCode::ok);
}

void add_split_options(CLI::App& app, Question& question) {
  add_layer_options(app, question.size, question.precision);
  add_preset(app, question.preset, "Whose times are modelled: CLOCK/KERNELS");
  add_integer(app, "--devices", question.devices, {{1, kMaxDevices}},
              "Devices of one kind, each with a memory of its own");
  add_integer(app, "--windows", question.windows, {{1, kMostWindows}},
              "Windows that are there at once: --batch-size of transcribe");
  add_integer(app, "--memory", question.memory_mb, {{0, kMostMegabytes}},
              "MB that a device has for buffers; 0: enough");
}

}  // namespace

Subcommand split_action() {
  return subcommand("split",
                    "What each way to divide the encoder among devices takes, by the time model",
                    add_split_options, run_split);
}

}  // namespace wnpu::app
