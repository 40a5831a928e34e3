// Fixed work for one thread, compiled for each instruction set and dispatched at run time. It is
// the yardstick of --check, so it stays as it is when the product's kernels change.
#pragma once

#include <cstddef>
#include <span>

namespace wnpu::bench::yardstick {

// Latency 4 times 2 a cycle needs 8 chains; 12 leave registers for the operands on all targets.
inline constexpr std::size_t kMultiplyAddChains = 12;

// Multiply-adds in independent chains, on registers alone; returns how many floating-point
// operations it did. sink takes the result so that the work cannot be left out.
double multiply_add(std::size_t rounds, float& sink);
// Pairs of int16 products added to int32 sums, in such chains; counts operations likewise.
double integer_multiply_add(std::size_t rounds, float& sink);
// For four products of bytes, or those of AMX; 0 operations where the instruction set has neither.
double byte_multiply_add(std::size_t rounds, float& sink);
// Products of bytes by AMX, where kernels::has_amx_instructions(): operations of about as many
// rounds; 0 on another architecture.
double amx_multiply_add(std::size_t rounds);

inline constexpr std::size_t kGemmSize = 256;  // three matrices of 256 KiB

// c = a b, all [kGemmSize, kGemmSize] row-major.
void gemm(std::span<const float> a, std::span<const float> b, std::span<float> c);

// Reads every value once; size is a multiple of 64.
float sum(std::span<const float> values);

}  // namespace wnpu::bench::yardstick
