#include "models/instruction_set.h"

#include <algorithm>
#include <cctype>
#include <cstdint>

#if defined(__x86_64__) && defined(__linux__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include <hwy/targets.h>

#include "models/elementwise.h"

namespace wnpu::models {
namespace {

bool same_letters(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::toupper(x) == std::toupper(y); });
}

constexpr std::string_view kBelowAmx = "AVX3_DL";

// One bit each; the better an instruction set, the lower its bit (hwy/detect_targets.h).
const std::vector<std::int64_t>& all_targets() {
  static const std::vector<std::int64_t> kTargets = hwy::SupportedAndGeneratedTargets();
  return kTargets;
}

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

bool amx_is_there() {
  static const bool kIsThere = hwy::TargetName(all_targets().front()) == kBelowAmx && ask_for_amx();
  return kIsThere;
}

bool& amx_is_chosen() {
  static bool chosen = amx_is_there();
  return chosen;
}

}  // namespace

const std::vector<std::string>& instruction_sets() {
  static const std::vector<std::string> kNames = [] {
    std::vector<std::string> list;
    if (amx_is_there()) list.emplace_back(kAmx);
    for (const std::int64_t target : all_targets()) list.emplace_back(hwy::TargetName(target));
    return list;
  }();
  return kNames;
}

std::string_view instruction_set() {
  const std::string_view target = elementwise::target_name();
  return amx_is_chosen() && target == kBelowAmx ? kAmx : target;
}

bool use_instruction_set(std::string_view name) {
  const bool amx = amx_is_there() && same_letters(kAmx, name);
  const std::string_view target_name = amx ? kBelowAmx : name;
  for (const std::int64_t target : all_targets()) {
    if (!same_letters(hwy::TargetName(target), target_name)) continue;
    hwy::DisableTargets(target - 1);
    amx_is_chosen() = amx;
    return true;
  }
  return false;
}

}  // namespace wnpu::models
