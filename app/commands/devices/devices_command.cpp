#include "app/commands/devices/devices_command.h"

#include <memory>
#include <string>
#include <vector>

#include <CLI/CLI.hpp>

#include "app/commands/devices/device_report.h"
#include "app/options/exit_code.h"
#include "app/system/write_all.h"

namespace wnpu::app {
namespace {

struct Listing {
  std::string xclbin;
  bool json = false;
};

int list(const Listing& listing) {
  const DeviceList devices = list_devices(listing.xclbin);
  print_report(listing.json ? devices_json(devices) : devices_text(devices));
  return static_cast<int>(ExitCode::ok);
}

}  // namespace

Subcommand devices_command() {
  const auto listing = std::make_shared<Listing>();
  return {"devices", "What --device can name here, and what cannot be used: why, and what mends it",
          [listing](CLI::App& app) {
            app.add_option("--xclbin", listing->xclbin,
                           "The NPU's overlay; the installed one if not given")
                ->type_name("FILE");
            app.add_flag("--json", listing->json,
                         "JSON on stdout instead of text, by "
                         "devices.schema.json (in share/whisper-npu/schemas)");
          },
          [listing](const std::vector<std::string>&) { return list(*listing); }};
}

}  // namespace wnpu::app
