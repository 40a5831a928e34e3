#include "app/commands/devices/devices_command.h"

#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/devices/device_list.h"
#include "app/engine/devices/ort_devices.h"
#include "app/options/exit_code.h"
#include "app/options/ort_options.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

struct DeviceListing {
  std::string xclbin;
  OrtOptions ort;
  bool json = false;
};

void add_devices_options(CLI::App& app, DeviceListing& listing) {
  app.add_option("--xclbin", listing.xclbin, "The NPU's overlay; the installed one if not given")
      ->type_name("FILE");
  add_ort_places(app, listing.ort);
  app.add_flag("--json", listing.json,
               "JSON on stdout instead of text, by devices.schema.json (in "
               "share/whisper-npu/schemas)");
}

int list(const DeviceListing& listing, const std::vector<std::string>& /*files*/) {
  const DeviceList devices = list_devices(listing.xclbin, ort_places(listing.ort));
  print_report(listing.json ? devices_json(devices) : devices_text(devices));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand devices_command() {
  return subcommand("devices",
                    "What --device can name here, and what cannot be used: why, and what mends it",
                    add_devices_options, list);
}

}  // namespace wnpu::app
