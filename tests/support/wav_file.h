// A recording made by a test.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <span>

namespace wnpu::tests {

// 16 kHz, 16 bit, mono; header as in the RIFF WAVE specification. Samples of such a file come back
// as they are.
inline void write_wav(const std::filesystem::path& path, std::span<const float> samples) {
  std::ofstream out(path, std::ios::binary);
  const auto put = [&out](std::uint32_t value, int bytes) {
    for (int i = 0; i < bytes; ++i) out.put(static_cast<char>((value >> (8 * i)) & 0xFFU));
  };
  const auto bytes = static_cast<std::uint32_t>(2 * samples.size());
  out << "RIFF";
  put(36 + bytes, 4);
  out << "WAVEfmt ";
  put(16, 4);
  put(1, 2);
  put(1, 2);
  put(16000, 4);
  put(32000, 4);
  put(2, 2);
  put(16, 2);
  out << "data";
  put(bytes, 4);
  for (const float s : samples) {
    put(static_cast<std::uint32_t>(std::clamp(std::lround(s * 32768.0F), -32768L, 32767L)), 2);
  }
}

}  // namespace wnpu::tests
