#include <sys/auxv.h>

#include "models/kernels/vectors/cpu_features.h"

namespace wnpu::kernels {

bool ask_for_amx() { return false; }

bool cpu_has_bf16() { return false; }  // there are no kernels for ARM's

bool cpu_has_avx512_vnni() { return false; }

bool cpu_has_avx_vnni() { return false; }

// Documentation/arch/arm64/elf_hwcaps.rst: HWCAP_ASIMDDP.
bool cpu_has_byte_dot_products() { return (getauxval(AT_HWCAP) & (1UL << 20U)) != 0; }

}  // namespace wnpu::kernels
