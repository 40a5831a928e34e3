// Vector instructions that the kernels use. Highway takes the best that the machine has;
// use_instruction_set() is for tests and measurements of the others.
#pragma once

#include <array>
#include <optional>
#include <string_view>
#include <vector>

namespace wnpu::kernels {

// Every one that there are kernels for, on whatever machine, best first: Highway's targets, and
// some of them once more with what a part of their CPUs adds. avx3_dl is AVX-512 with VNNI and
// more, as from Ice Lake and Zen 4; amx is avx3_dl, and AMX where it is faster: what is multiplied
// by many rows of bytes. avx3 is AVX-512 as from Skylake, avx3_vnni with VNNI as from Cascade Lake,
// and avx2_vnni AVX2 with AVX-VNNI as from Alder Lake. On ARM of 64 bits, neon_dot is neon and the
// products of four bytes of ARMv8.2 (sdot).
enum class InstructionSet {
  amx,
  avx3_dl,
  avx3_vnni,
  avx3,
  avx2_vnni,
  avx2,
  sse4,
  ssse3,
  neon_dot,
  neon,
  scalar
};
inline constexpr std::array<std::string_view, 11> kInstructionSetNames{
    "AMX",  "AVX3_DL", "AVX3_VNNI", "AVX3", "AVX2_VNNI", "AVX2",
    "SSE4", "SSSE3",   "NEON_DOT",  "NEON", "SCALAR"};

// Instruction sets that this machine can run, best first, whatever was chosen below.
const std::vector<InstructionSet>& instruction_sets();

// The one in use.
InstructionSet instruction_set();

std::string_view instruction_set_name(InstructionSet set = instruction_set());
// Capitals do not matter.
std::optional<InstructionSet> parse_instruction_set(std::string_view name);

// Kernels of `set`, and of lesser ones where a kernel has none for it. Call it before the first
// kernel runs and anything is packed: the layout depends on it. False, and nothing changes: `set`
// is none of instruction_sets().
bool use_instruction_set(InstructionSet set);

// Whether the one in use has the instructions for products of bytes (VNNI, sdot); AMX for bytes
// besides; whether it and the CPU have AVX-512's for bf16.
bool has_byte_instructions();
// Whether products of bytes are faster than those of int16: with byte instructions, and with AVX2.
bool has_byte_products();
// Limits of q in products of bytes: 0 to `left`, and -right to `right`. AVX2 alone adds four
// products up in int16, which saturates: 7 bits on both sides keep below it.
struct ByteLimits {
  float left;
  float right;
};
ByteLimits byte_limits();
bool has_amx_instructions();
bool has_bf16_instructions();

}  // namespace wnpu::kernels
