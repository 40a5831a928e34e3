#include "models/kernels/vectors/instruction_set.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <hwy/targets.h>

namespace wnpu::kernels {
namespace {

// Highway's target of each: one bit; the better an instruction set, the lower its bit
// (hwy/detect_targets.h).
constexpr std::array<std::int64_t, kInstructionSetNames.size()> kTargets{
    HWY_AVX3_DL, HWY_AVX3_DL, HWY_AVX3, HWY_AVX2, HWY_SSE4, HWY_SSSE3, HWY_SCALAR};

std::int64_t target_of(InstructionSet set) { return kTargets[static_cast<std::size_t>(set)]; }

// Whether CPU and system have its registers, and let this process use them: Linux wants to be
// asked, for a thread's state grows by 8 KB (Documentation/arch/x86/xstate.rst).
bool ask_for_amx() {
#if defined(__x86_64__) && defined(__linux__)
  constexpr unsigned kTile = 1U << 24U;  // of leaf 7's edx (Intel SDM, volume 2A, CPUID)
  constexpr unsigned kInt8 = 1U << 25U;
  constexpr long kRequestPermission = 0x1023;  // ARCH_REQ_XCOMP_PERM
  constexpr long kTileData = 18;               // XFEATURE_XTILEDATA
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  if (__get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) == 0) return false;
  if ((edx & kTile) == 0 || (edx & kInt8) == 0) return false;
  return syscall(SYS_arch_prctl, kRequestPermission, kTileData) == 0;
#else
  return false;
#endif
}

bool cpu_has_bf16() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512bf16") != 0;
#else
  return false;
#endif
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
      if (std::ranges::find(targets, kTargets[i]) == targets.end()) continue;
      if (set != InstructionSet::amx || ask_for_amx()) list.push_back(set);
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
  return has_amx_instructions() || instruction_set() == InstructionSet::avx3_dl;
}

bool has_amx_instructions() { return instruction_set() == InstructionSet::amx; }

bool has_bf16_instructions() {
  static const bool kCpuHasBf16 = cpu_has_bf16();
  return kCpuHasBf16 && has_byte_instructions();
}

}  // namespace wnpu::kernels
