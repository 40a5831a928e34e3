#include "app/emit/first_light_command.h"

#include <algorithm>
#include <charconv>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <memory>
#include <sys/utsname.h>
#include <unistd.h>

#include "app/batch/output_file.h"
#include "app/batch/progress.h"
#include "app/batch/write_all.h"
#include "app/cli/exit_code.h"
#include "app/engine/available_cpus.h"
#include "models/base/released_sizes.h"
#include "npu/first_light/first_light.h"
#include "npu/first_light/result_json.h"
#include "npu/first_light/result_text.h"
#include "npu/probe.h"
#include "npu/sim/sim_device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::app {
namespace {

constexpr std::string_view kNpu = "npu";
constexpr std::string_view kNpuIndex = "npu:";
constexpr std::string_view kSimulator = "sim";

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line;
}

// "amdxdna 0.6, Linux 6.14.0": a driver of the kernel's own tree has no version of its own.
std::string driver_text() {
  const std::string version = first_line("/sys/module/amdxdna/version");
  utsname kernel{};
  const std::string release = ::uname(&kernel) == 0 ? std::string(kernel.release) : "unknown";
  return "amdxdna" + (version.empty() ? "" : " " + version) + ", Linux " + release;
}

// The device that "npu" or "npu:N" names. Throws UsageError, DeviceError.
npu::XrtDeviceInfo named_npu(const std::string& name) {
  std::size_t index = 0;
  if (name != kNpu) {
    const char* const end = name.data() + name.size();
    const char* const digits = name.data() + std::min(kNpuIndex.size(), name.size());
    const bool is_index = name.starts_with(kNpuIndex) && digits != end &&
                          std::from_chars(digits, end, index).ptr == end;
    if (!is_index) throw UsageError("--device: expected npu, npu:N or sim, found " + name);
  }
  const std::vector<npu::ProbeResult> nodes = npu::probe();
  const npu::XrtDevices found = npu::list_xrt_devices();
  if (index < found.devices.size()) return found.devices[index];
  if (!nodes.front().usable) {
    throw npu::DeviceError(name + ": " + nodes.front().name + ": " + nodes.front().reason);
  }
  throw npu::DeviceError(name + ": expected one of " + std::to_string(found.devices.size()) +
                         " devices" + (found.problem.empty() ? "" : "; " + found.problem));
}

std::unique_ptr<npu::Device> open(const FirstLightChoice& choice, npu::FirstLightOptions& options) {
  npu::Machine& machine = options.machine;
  if (choice.device == kSimulator) {
    machine.product = "no NPU: the simulator as " + choice.preset;
    npu::SimDeviceOptions simulator;
    simulator.preset = choice.preset;
    simulator.threads = options.threads;
    return npu::open_sim_device(simulator);
  }
  const npu::XrtDeviceInfo info = named_npu(choice.device);
  machine.product = first_line("/sys/class/dmi/id/product_name");
  machine.product += (machine.product.empty() ? "" : ", ") + info.name;
  machine.driver = driver_text();
  machine.firmware = info.firmware;
  return npu::open_xrt_device({.bdf = info.bdf, .xclbin = choice.xclbin, .target = ""});
}

// `name` is one of the steps'.
npu::FirstLightStep step_named(const std::string& name) {
  const auto* const found = std::ranges::find(npu::kStepNames, name);
  return static_cast<npu::FirstLightStep>(found - npu::kStepNames.begin());
}

void require_free_output(const FirstLightChoice& choice) {
  std::error_code error;
  if (choice.output.empty() || choice.overwrites) return;
  if (!std::filesystem::exists(choice.output, error)) return;
  throw OutputError(choice.output + ": is there (--overwrite replaces it)");
}

std::string now_text() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm utc{};
  ::gmtime_r(&now, &utc);
  char text[32];
  return {text, std::strftime(text, sizeof(text), "%Y-%m-%dT%H:%M:%SZ", &utc)};
}

}  // namespace

int first_light(const FirstLightChoice& choice, const std::string& size,
                const std::string& precision) {
  require_free_output(choice);
  Messages messages(std::cerr, Verbosity::normal, false);
  npu::FirstLightOptions options;
  options.shape = layer_shape(size);
  options.precision = npu::find_precision(precision).value();
  options.layers = models::dims_of_size(size).value().n_audio_layer;
  options.runs = choice.runs;
  options.last = step_named(choice.until);
  options.keeps_going = choice.keeps_going;
  options.threads = static_cast<int>(choice.threads > 0 ? choice.threads : available_cpus());
  options.clock_ghz = choice.clock_ghz;
  options.clock_source = "--clock-ghz";
  options.tell = [&](const std::string& step) { messages.note(step); };
  const std::unique_ptr<npu::Device> device = open(choice, options);
  const npu::FirstLight result = npu::run_first_light(*device, options);
  const std::string json = npu::first_light_json(result, now_text());
  if (!choice.output.empty()) write_file(choice.output, json);
  write_all(STDOUT_FILENO, choice.json ? json : npu::first_light_text(result), "stdout");
  return static_cast<int>(result.has_passed() ? ExitCode::ok : ExitCode::some_failed);
}

}  // namespace wnpu::app
