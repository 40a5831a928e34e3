#include <fstream>
#include <string>

#include "npu/first_light/steps.h"

namespace wnpu::npu {
namespace {

constexpr int kMostNodes = 64;  // far more than there are on a board

std::optional<double> number_in(const std::string& path) {
  std::ifstream file(path);
  double number = 0;
  if (file >> number) return number;
  return std::nullopt;
}

std::optional<double> watts_of(const std::string& sensor) {
  auto microwatts = number_in(sensor + "/power1_input");
  if (!microwatts) microwatts = number_in(sensor + "/power1_average");
  if (!microwatts) return std::nullopt;
  return *microwatts * 1e-6;
}

}  // namespace

std::optional<double> npu_watts(const std::filesystem::path& root) {
  for (int node = 0; node < kMostNodes; ++node) {
    const std::string device =
        root.native() + "/sys/class/accel/accel" + std::to_string(node) + "/device";
    std::error_code error;
    if (!std::filesystem::exists(device, error)) continue;
    for (int sensor = 0; sensor < kMostNodes; ++sensor) {
      const auto watts = watts_of(device + "/hwmon/hwmon" + std::to_string(sensor));
      if (watts) return watts;
    }
  }
  return std::nullopt;
}

}  // namespace wnpu::npu
