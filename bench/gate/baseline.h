// Baseline that --check compares with: the relative times of an earlier bench --baseline --json.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>

namespace wnpu::bench {

// The unit of the gate's relative times.
inline constexpr std::string_view kCalibrations = "calibrations";

struct Baseline {
  std::string path;
  std::string instruction_set;
  std::string build_type;
  std::map<std::string, std::string> options;
  std::map<std::string, double> relative_times;  // by name of the figure
};

// Throws UsageError where it is missing or no result of --baseline --json.
Baseline read_baseline(const std::filesystem::path& path);

}  // namespace wnpu::bench
