// Call and phase headers, which the controller writes into a core's data memory.
//
// At kHeaders (core_memory.h), little-endian words of 32 bits, lowest bits first:
//   0          phases of the call 16, the core's column 8, columns of the array 8
//   1 + 4 i    phase i: kernel 8, epilogue 8, quantised output 1, zeros 15
//   2 + 4 i    outer 16, inner 16
//   3 + 4 i    m 16, k 16
//   4 + 4 i    n 16, valid 16
#pragma once

#include <cstdint>

namespace wnpu::npu {

enum class Kernel { layer_norm, gemm_bf16, gemm_int8, attention, gelu };
constexpr std::uint32_t kKernels = 5;
enum class Epilogue { bias, bias_gelu, bias_residual };
constexpr std::uint32_t kEpilogues = 3;

// Work of a core in one phase: kernel, epilogue and loop sizes.
struct PhaseHeader {
  Kernel kernel = Kernel::gemm_bf16;
  Epilogue epilogue = Epilogue::bias;
  std::uint32_t outer = 0;        // results a core makes
  std::uint32_t inner = 0;        // steps to make one
  std::uint32_t m = 0;            // tile: rows; queries; rows of an element
  std::uint32_t k = 0;            // tile: depth; head width; row width
  std::uint32_t n = 0;            // tile: columns; keys in a block
  std::uint32_t valid = 0;        // attention: keys that are no padding
  bool quantised_output = false;  // layer_norm: rows as int8 with their scales
  bool operator==(const PhaseHeader&) const = default;
};

// Before the phases.
struct CallHeader {
  std::uint32_t phases = 0;
  std::uint32_t column = 0;   // of the core
  std::uint32_t columns = 0;  // of the array: elements of a row broadcast
  bool operator==(const CallHeader&) const = default;
};

constexpr std::uint32_t kPhaseWords = 4;  // of a phase
constexpr std::uint32_t kMostInHeader = 0xffff;
constexpr std::uint32_t kMostColumns = 0xff;

// Word of phase `phase`'s header, counted from the first.
constexpr std::uint32_t header_at(std::uint32_t phase) { return 1 + kPhaseWords * phase; }

struct PhaseWords {
  std::uint32_t words[kPhaseWords];
};

// Fields have to fit: outer to valid kMostInHeader.
constexpr PhaseWords encode_phase(const PhaseHeader& p) {
  return {{static_cast<std::uint32_t>(p.kernel) | static_cast<std::uint32_t>(p.epilogue) << 8 |
               (p.quantised_output ? 1u << 16 : 0u),
           p.outer | p.inner << 16, p.m | p.k << 16, p.n | p.valid << 16}};
}

constexpr PhaseHeader decode_phase(const std::uint32_t* words) {
  PhaseHeader p;
  p.kernel = static_cast<Kernel>(words[0] & 0xff);
  p.epilogue = static_cast<Epilogue>(words[0] >> 8 & 0xff);
  p.quantised_output = (words[0] >> 16 & 1) != 0;
  p.outer = words[1] & kMostInHeader;
  p.inner = words[1] >> 16;
  p.m = words[2] & kMostInHeader;
  p.k = words[2] >> 16;
  p.n = words[3] & kMostInHeader;
  p.valid = words[3] >> 16;
  return p;
}

// Whether words are a phase's: what is not a field is zero, and kernel and epilogue are known.
constexpr bool is_phase(const std::uint32_t* words) {
  return (words[0] & 0xff) < kKernels && (words[0] >> 8 & 0xff) < kEpilogues && words[0] >> 17 == 0;
}

// Fields have to fit: phases kMostInHeader, the others kMostColumns.
constexpr std::uint32_t encode_call(const CallHeader& c) {
  return c.phases | c.column << 16 | c.columns << 24;
}

constexpr CallHeader decode_call(std::uint32_t word) {
  return {word & kMostInHeader, word >> 16 & kMostColumns, word >> 24};
}

}  // namespace wnpu::npu
