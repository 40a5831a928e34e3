// Tolerances of the tests, each with its reason. Loosening one needs its own commit.
#pragma once

namespace wnpu::tests::tolerance {

// ---- audio: normalised log-mel, units of (log10 + 4) / 4

// Against fp64 on noise: a 400-point DFT in fp32 errs by about 2e-7 of the frame's amplitude, the
// quietest mel of a noise frame lies some 20 dB below it; Highway's log10 adds 1e-7.
inline constexpr double kLogMelNoise = 5e-6;
// Against openai-whisper on speech, which is fp32 itself: frames hold 80 dB between loudest and
// quietest mel, so that rounding of the loud ones shows in the quiet ones. Asked for: 1e-4.
inline constexpr double kLogMelGolden = 1e-4;

// A mel filter's weight: one rounding to fp32 of a value below 0.03, and libm's exp and log.
inline constexpr double kMelWeight = 4e-9;

// ---- audio: samples, full scale 1.0

// One step of what a file of so many bits can hold: libsndfile writes the top bits and cuts the rest.
inline constexpr double kPcm8 = 0x1p-7;
inline constexpr double kPcm16 = 0x1p-15;
inline constexpr double kPcm24 = 0x1p-23;
// A sine well inside the pass band after soxr HQ: 20 bits, and the 16-bit file it came from.
inline constexpr double kResampled = 1e-4;
// A sine after a lossy codec at its default quality, one damaged frame in a hundred included.
inline constexpr double kLossyNmse = 0.02;
// Gains of a downmix, against ffmpeg's log with six decimals.
inline constexpr double kGain = 1e-6;

}  // namespace wnpu::tests::tolerance
