// A tone as the bytes of a WAV file.
#pragma once

#include <cmath>
#include <cstdint>
#include <string>

namespace wnpu::tests {

// 16 kHz, mono, 16 bits (RIFF: little-endian).
inline std::string wav_of_tone(std::uint32_t seconds) {
  constexpr std::uint32_t kRate = 16000;
  const std::uint32_t n = seconds * kRate;
  std::string bytes;
  const auto put = [&bytes](std::uint32_t value, int n_bytes) {
    for (int i = 0; i < n_bytes; ++i) bytes += static_cast<char>(value >> (8 * i));
  };
  bytes += "RIFF";
  put(36 + 2 * n, 4);
  bytes += "WAVEfmt ";
  put(16, 4);
  put(1, 2);  // PCM
  put(1, 2);
  put(kRate, 4);
  put(2 * kRate, 4);
  put(2, 2);
  put(16, 2);
  bytes += "data";
  put(2 * n, 4);
  for (std::uint32_t i = 0; i < n; ++i) {
    put(static_cast<std::uint32_t>(std::lround(8000 * std::sin(0.2 * i))), 2);
  }
  return bytes;
}

}  // namespace wnpu::tests
