// CPU features that Highway's targets do not tell; each architecture answers in its own file
// (cpu_features_x86.cpp, cpu_features_arm.cpp).
#pragma once

namespace wnpu::kernels {

// Whether CPU and system have AMX for bytes, and let this process use its registers: the first call
// asks for them.
bool ask_for_amx();
// AVX512-BF16; VNNI of AVX-512; VNNI of AVX2's registers.
bool cpu_has_bf16();
bool cpu_has_avx512_vnni();
bool cpu_has_avx_vnni();
// sdot, of ARMv8.2.
bool cpu_has_byte_dot_products();

}  // namespace wnpu::kernels
