#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iostream>
#include <memory>
#include <optional>
#include <sys/utsname.h>

#include <CLI/CLI.hpp>

#include "app/commands/npu/calls.h"
#include "app/commands/npu/npu_command.h"
#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_names.h"
#include "app/engine/devices/named_device.h"
#include "app/options/exit_code.h"
#include "app/options/option_values.h"
#include "app/output/written_file.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "models/base/dims.h"
#include "npu/first_light/first_light.h"
#include "npu/first_light/result.h"
#include "npu/sim/sim_device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::app {
namespace {

struct Trial {
  std::string size = "base";
  std::string precision = "bf16";
  std::string device = "npu";  // "npu", "npu:1", "sim"
  std::string xclbin;
  std::string preset{npu::kDefaultPreset};  // of the simulator
  std::optional<double> clock_ghz;
  std::size_t runs = 20;
  unsigned threads = 0;  // of the simulator; 0: as many as this process may use
  std::string until{npu::kStepNames.back()};
  bool keeps_going = false;
  bool json = false;
  std::string output;  // file for the JSON; empty: none
  bool overwrites = false;
};

std::string first_line_of(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "amdxdna 0.6, Linux 6.14.0": a driver of the kernel's own tree has no version of its own.
std::string driver_text() {
  const std::string version = first_line_of("/sys/module/amdxdna/version");
  utsname kernel{};
  const std::string release = ::uname(&kernel) == 0 ? std::string(kernel.release) : "unknown";
  return "amdxdna" + (version.empty() ? "" : " " + version) + ", Linux " + release;
}

std::unique_ptr<npu::Device> open(const Trial& trial, npu::FirstLightOptions& options) {
  npu::Machine& machine = options.machine;
  if (trial.device == kSimulatorBackend) {
    machine.product = "no NPU: the simulator as " + trial.preset;
    npu::SimDeviceOptions simulator;
    simulator.preset = trial.preset;
    simulator.threads = options.threads;
    return npu::open_sim_device(simulator);
  }
  const npu::XrtDeviceInfo info = named_npu(trial.device);
  machine.product = first_line_of("/sys/class/dmi/id/product_name");
  machine.product += (machine.product.empty() ? "" : ", ") + info.name;
  machine.driver = driver_text();
  machine.firmware = info.firmware;
  return npu::open_xrt_device({.bdf = info.bdf, .xclbin = trial.xclbin});
}

// `name` is one of the steps'.
npu::FirstLightStep step_named(const std::string& name) {
  const auto* const found = std::ranges::find(npu::kStepNames, name);
  return static_cast<npu::FirstLightStep>(found - npu::kStepNames.begin());
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

int first_light(const Trial& trial, const std::vector<std::string>& /*files*/) {
  require_free_file(trial.output, trial.overwrites);
  Messages messages(std::cerr, Verbosity::normal, false);
  npu::FirstLightOptions options;
  options.shape = layer_shape(trial.size);
  options.precision = npu::find_precision(trial.precision).value();
  options.layers = models::dims_of_size(trial.size).value().n_audio_layer;
  options.runs = trial.runs;
  options.last = step_named(trial.until);
  options.keeps_going = trial.keeps_going;
  options.threads = static_cast<int>(trial.threads > 0 ? trial.threads : available_cpus());
  options.clock_ghz = trial.clock_ghz;
  options.clock_source = "--clock-ghz";
  options.tell = [&](const std::string& step) { messages.note(step); };
  const std::unique_ptr<npu::Device> device = open(trial, options);
  const npu::FirstLight result = npu::run_first_light(*device, options);
  const std::string json = npu::first_light_json(result, now_text());
  write_and_report(
      [&] {
        if (!trial.output.empty()) write_file(trial.output, json, !trial.overwrites);
      },
      trial.json ? json : npu::first_light_text(result));
  return static_cast<int>(result.has_passed() ? ExitCode::ok : ExitCode::some_failed);
}

void add_run_options(CLI::App& app, Trial& trial) {
  add_name(app, "--until", npu::kStepNames, trial.until, "The last step that is run");
  app.add_flag("--keep-going", trial.keeps_going, "After a difference, from the simulator's bits");
  app.add_option("--clock-ghz", trial.clock_ghz,
                 "The array's clock; else taken from the rate of a stream")
      ->check(CLI::Range(0.1, 10.0).description(""))
      ->type_name("GHZ");
  app.add_option("--runs", trial.runs, "Times of each call, of which the median counts")
      ->check(CLI::Range(1, 10000).description(""))
      ->type_name("N")
      ->capture_default_str();
}

void add_first_light_options(CLI::App& app, Trial& trial) {
  app.add_option("--device", trial.device, "npu, npu:N for the Nth of several, or sim")
      ->type_name("DEVICE")
      ->capture_default_str();
  app.add_option("--xclbin", trial.xclbin,
                 "What build.sh of `emit --plan first-light` made, its manifest beside it")
      ->type_name("PATH");
  add_layer_options(app, trial.size, trial.precision);
  app.add_option("--npu-preset", trial.preset, "Whose times the simulator models")
      ->type_name("PRESET")
      ->capture_default_str();
  add_integer(app, "--threads", trial.threads, {{0, 1024}, 0},
              "Of the simulator; 0: as many as there are CPUs");
  add_run_options(app, trial);
  app.add_flag("--json", trial.json,
               "JSON on stdout instead of text, by "
               "first_light.schema.json (in share/whisper-npu/schemas)");
  app.add_option("--output", trial.output, "File for the JSON, whole or not at all")
      ->type_name("FILE");
  app.add_flag("--overwrite", trial.overwrites, "Replace that file");
}

}  // namespace

Subcommand first_light_action() {
  return subcommand(
      "first-light",
      "Run the calls of a layer, compare them with the simulator's bits and time them",
      add_first_light_options, first_light);
}

}  // namespace wnpu::app
