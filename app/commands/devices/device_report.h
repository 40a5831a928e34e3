// Report of the devices to run on, for people and for programs.
#pragma once

#include <string>

#include "app/commands/devices/device_list.h"

namespace wnpu::app {

std::string devices_text(const DeviceList& list);
std::string devices_json(const DeviceList& list);  // devices.schema.json; ends with a newline

}  // namespace wnpu::app
