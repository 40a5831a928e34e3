#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "models/kernels/vectors/cpu_features.h"

namespace wnpu::kernels {

// Linux wants to be asked, for a thread's state grows by 8 KB (Documentation/arch/x86/xstate.rst).
bool ask_for_amx() {
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
}

bool cpu_has_bf16() { return __builtin_cpu_supports("avx512bf16") != 0; }

bool cpu_has_avx512_vnni() { return __builtin_cpu_supports("avx512vnni") != 0; }

// The bit is in leaf 7.1's eax; Clang 14 has no name for it.
bool cpu_has_avx_vnni() {
  constexpr unsigned kAvxVnni = 1U << 4U;
  unsigned eax = 0;
  unsigned ebx = 0;
  unsigned ecx = 0;
  unsigned edx = 0;
  return __get_cpuid_count(7, 1, &eax, &ebx, &ecx, &edx) != 0 && (eax & kAvxVnni) != 0;
}

bool cpu_has_byte_dot_products() { return false; }

}  // namespace wnpu::kernels
