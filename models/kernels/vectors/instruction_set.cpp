#include "models/kernels/vectors/instruction_set.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#include <hwy/targets.h>

#include "models/kernels/vectors/cpu_features.h"

namespace wnpu::kernels {
namespace {

// Highway's target of each: one bit; the better an instruction set, the lower its bit
// (hwy/detect_targets.h).
constexpr std::array<std::int64_t, kInstructionSetNames.size()> kTargets{
    HWY_AVX3_DL, HWY_AVX3_DL, HWY_AVX3, HWY_AVX3, HWY_AVX2,  HWY_AVX2,
    HWY_SSE4,    HWY_SSSE3,   HWY_NEON, HWY_NEON, HWY_SCALAR};

std::int64_t target_of(InstructionSet set) { return kTargets[static_cast<std::size_t>(set)]; }

// Whether the CPU has what an instruction set adds to Highway's target of it.
bool has_addition(InstructionSet set) {
  switch (set) {
    case InstructionSet::amx:
      return ask_for_amx();
    case InstructionSet::avx3_vnni:
      return cpu_has_avx512_vnni();
    case InstructionSet::avx2_vnni:
      return cpu_has_avx_vnni();
    case InstructionSet::neon_dot:
      return cpu_has_byte_dot_products();
    default:
      return true;
  }
}

InstructionSet& chosen() {
  static InstructionSet set = instruction_sets().front();
  return set;
}

}  // namespace

std::string_view instruction_set_name(InstructionSet set) {
  return kInstructionSetNames[static_cast<std::size_t>(set)];
}

std::optional<InstructionSet> parse_instruction_set(std::string_view name) {
  const auto same_letter = [](unsigned char x, unsigned char y) {
    return std::toupper(x) == std::toupper(y);
  };
  const auto* const found = std::ranges::find_if(kInstructionSetNames, [&](std::string_view known) {
    return std::ranges::equal(known, name, same_letter);
  });
  if (found == kInstructionSetNames.end()) return std::nullopt;
  return static_cast<InstructionSet>(found - kInstructionSetNames.begin());
}

const std::vector<InstructionSet>& instruction_sets() {
  static const std::vector<InstructionSet> kSets = [] {
    const std::vector<std::int64_t> targets = hwy::SupportedAndGeneratedTargets();
    std::vector<InstructionSet> list;
    for (std::size_t i = 0; i < kTargets.size(); ++i) {
      const auto set = static_cast<InstructionSet>(i);
      // Highway takes NEON without AES for no NEON; what all is compiled for is there all the same.
      const bool is_supported = kTargets[i] == HWY_STATIC_TARGET ||
                                std::ranges::find(targets, kTargets[i]) != targets.end();
      if (!is_supported) continue;
      if (has_addition(set)) list.push_back(set);
    }
    return list;
  }();
  return kSets;
}

InstructionSet instruction_set() { return chosen(); }

bool use_instruction_set(InstructionSet set) {
  if (std::ranges::find(instruction_sets(), set) == instruction_sets().end()) return false;
  hwy::DisableTargets(target_of(set) - 1);
  chosen() = set;
  return true;
}

bool has_byte_instructions() {
  switch (instruction_set()) {
    case InstructionSet::amx:
    case InstructionSet::avx3_dl:
    case InstructionSet::avx3_vnni:
    case InstructionSet::avx2_vnni:
    case InstructionSet::neon_dot:
      return true;
    default:
      return false;
  }
}

bool has_byte_products() {
  return has_byte_instructions() || instruction_set() == InstructionSet::avx2;
}

ByteLimits byte_limits() {
  if (instruction_set() == InstructionSet::avx2) return {.left = 127, .right = 63};
  return {.left = 255, .right = 127};
}

bool has_amx_instructions() { return instruction_set() == InstructionSet::amx; }

bool has_bf16_instructions() {
  static const bool kCpuHasBf16 = cpu_has_bf16();
  return kCpuHasBf16 && instruction_set() <= InstructionSet::avx3_vnni;
}

}  // namespace wnpu::kernels
