// The packed model file: weights as their source has them, and as the kernels want them.
//
//   head      64 bytes: kPackedMagic, the version (u32), zeros
//   sections  each at a multiple of 64: bytes of tensors, panels, fp32 numbers, tokens
//   index     JSON, not aligned: what the file is, and where each section lies
//   tail      32 bytes: the index' offset and size (u64), its CRC-32 (u32), 0 (u32), kPackedMagic
//
// All numbers are little-endian. The index comes last, so that the file is written in one go and a
// cut file has none. models/README.md lists the index' keys.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace wnpu::models {

inline constexpr std::string_view kPackedMagic = "WNPUPACK";
inline constexpr std::uint32_t kPackedVersion = 1;
inline constexpr std::size_t kPackedHead = 64;
inline constexpr std::size_t kPackedTail = 32;
inline constexpr std::size_t kPackedAlignment = 64;
// large-v3's with three precisions has 0.5 MB.
inline constexpr std::size_t kMaxPackedIndex = std::size_t{16} << 20U;

// zlib's CRC-32.
std::uint32_t checksum(std::span<const std::byte> bytes);

}  // namespace wnpu::models
