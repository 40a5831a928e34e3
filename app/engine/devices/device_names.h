// Parser of --device: one device or several of one kind, and whether the CPU works beside them.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/devices/backends.h"

namespace wnpu::app {

inline constexpr std::size_t kMaxDevices = 16;

struct NamedDevices {
  const Backend* backend = nullptr;  // nullptr: auto
  // Device numbers: NPUs as XRT counts them, each once; simulators 0, 1, ...; empty: the CPU, the
  // first NPU.
  std::vector<std::size_t> indexes;
  bool with_cpu = false;
};

// "auto", "cpu", "npu", "npu:1", "npu:0,npu:2", "sim", "sim:4" (four simulators), "ort",
// "ort:openvino:NPU"; "cpu," in front of any of the last seven. Throws Error(usage): what was
// expected, what was found.
NamedDevices parse_devices(const std::string& requested);

// For --help: every form, with | between them.
std::string device_forms();

}  // namespace wnpu::app
