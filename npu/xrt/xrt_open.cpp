#include "npu/xrt/xrt_open.h"

#include <charconv>
#include <fstream>

#include <nlohmann/json.hpp>

namespace wnpu::npu {
namespace {

using Info = xrt::info::device;

template <Info kWhat>
std::string text_or_empty(const xrt::device& device) {
  try {
    return device.get_info<kWhat>();
  } catch (const std::exception&) {
    return {};  // not every driver answers every query
  }
}

// A field of XRT's JSON as text, whatever its type; empty where there is none.
std::string field_of(const std::string& text, const char* pointer) {
  const auto json = nlohmann::json::parse(text, nullptr, false);
  const nlohmann::json::json_pointer where(pointer);
  if (!json.is_object() || !json.contains(where)) return {};
  const nlohmann::json& field = json.at(where);
  return field.is_string() ? field.get<std::string>() : field.dump();
}

}  // namespace

XrtDeviceInfo describe(const xrt::device& device) {
  XrtDeviceInfo info;
  info.bdf = text_or_empty<Info::bdf>(device);
  info.name = text_or_empty<Info::name>(device);
  // The driver's own attribute: XRT has the firmware's version for xrt-smi only.
  std::ifstream firmware("/sys/bus/pci/devices/" + info.bdf + "/fw_version");
  std::getline(firmware, info.firmware);
  const std::string platform = text_or_empty<Info::platform>(device);
  info.power_mode = field_of(platform, "/platforms/0/status/power_mode");
  const std::string columns = field_of(platform, "/platforms/0/static_region/total_columns");
  std::from_chars(columns.data(), columns.data() + columns.size(), info.columns);
  return info;
}

xrt::device open_device(const std::string& bdf) {
  return calling(bdf.empty() ? "npu" : "npu " + bdf, "open",
                 [&] { return bdf.empty() ? xrt::device(0U) : xrt::device(bdf); });
}

std::string xrt_version() { return "XRT " + xrt_compat::version(); }

XrtDevices list_xrt_devices() {
  XrtDevices found;
  try {
    const unsigned n = xrt::system::enumerate_devices();
    for (unsigned i = 0; i < n; ++i) found.devices.push_back(describe(xrt::device(i)));
  } catch (const std::exception& error) {
    found.problem = error_text("npu", "list devices", error.what());
  }
  if (found.devices.empty() && found.problem.empty()) {
    found.problem = error_text("npu", "list devices", "No such device");
  }
  return found;
}

}  // namespace wnpu::npu
