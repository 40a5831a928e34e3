#include "models/instruction_set.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <hwy/targets.h>

#include "models/elementwise.h"

namespace wnpu::models {
namespace {

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

// One bit each; the better an instruction set, the lower its bit (hwy/detect_targets.h).
const std::vector<std::int64_t>& all_targets() {
  static const std::vector<std::int64_t> kTargets = hwy::SupportedAndGeneratedTargets();
  return kTargets;
}

}  // namespace

const std::vector<std::string>& instruction_sets() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> list;
    for (const std::int64_t target : all_targets()) list.emplace_back(hwy::TargetName(target));
    return list;
  }();
  return kNames;
}

std::string_view instruction_set() { return elementwise::target_name(); }

bool use_instruction_set(std::string_view name) {
  for (const std::int64_t target : all_targets()) {
    if (!same_letters(hwy::TargetName(target), name)) continue;
    hwy::DisableTargets(target - 1);
    return true;
  }
  return false;
}

}  // namespace wnpu::models
