// Tolerances of the tests, each with its reason. Loosening one needs its own commit.
#pragma once

#include <cstddef>

namespace wnpu::tests::tolerance {

// Half a step of float and of bfloat16, relative: one rounding to nearest. Truncation: twice that.
inline constexpr double kFloatRounding = 0x1p-24;
inline constexpr double kBf16Rounding = 0x1p-8;

// Magnitudes of 256 samples up to 4 under a Hann window: a sum of 64 products in fp32 four times,
// whose terms add up to 512 at most; found: below 2e-5.
inline constexpr double kHannStft = 5e-5;

// ---- npu/kernel: against exact arithmetic (npu/kernel/README.md)

// One matrix instruction on the host against the array's aligned sum, times the largest of its nine
// terms: nine truncations below 2^-23 of it, a final one of a sum of at most nine of it, and on the
// host eight roundings of partial sums of at most 2, 4, 8 and 9 of it.
inline constexpr double kMmulAgainstAlignedSum = 36 * 0x1p-23;

// GELU before its rounding to bf16: the polynomials' error (1.9e-5 by fit_gelu.py) and float's.
inline constexpr double kGelu = 2.2e-5;
// Near zero it is relative to x: 1.6e-5 by fit_gelu.py.
inline constexpr double kGeluRelative = 2.0e-5;

// Layer norm before its rounding to bf16: float sums over at most 1280 elements and a reciprocal
// square root with a relative error below 1e-6.
inline constexpr double kLayerNorm = 2e-6;

// An attention weight: the exponent is rounded to 1/512 (ln 2 / 1024), the polynomial is off by
// 1.02e-4 (tile_exp2.h), the weight is rounded to bf16.
inline constexpr double kAttentionWeight = 7.8e-4 + kBf16Rounding;
// Attention over random keys as a whole: weight errors are independent and average out.
inline constexpr double kAttentionNmse = 1e-5;

// ---- the fused layer on the simulated NPU against fp32 (issue of record for bf16)

inline constexpr double kBf16LayerCosine = 0.9998;
inline constexpr double kBf16EncoderCosine = 0.9995;
// int8 weights and activations: rounding to 1/127 of a row's largest value.
inline constexpr double kInt8LayerCosine = 0.999;
inline constexpr double kInt8EncoderCosine = 0.998;

// On random layers: bf16 operands (2^-9 relative, independent) through six products and a residual.
inline constexpr double kBf16LayerNmse = 4e-5;
inline constexpr double kInt8LayerNmse = 2e-4;

// ---- integers on the CPU

// A random layer: int16 operands of 11 to 15 bits through six products and a residual; weights of 8
// bits, whose steps are 16 times as wide.
inline constexpr double kInt16LayerNmse = 1e-7;
inline constexpr double kInt8WeightsNmse = 2e-5;
// Both sides in 8 bits, where the CPU multiplies bytes.
inline constexpr double kByteLayerNmse = 2e-4;
// tiny.en's states on speech: outliers take bits from their row.
inline constexpr double kInt16StatesNmse = 3e-6;
inline constexpr double kInt8StatesNmse = 2e-3;
inline constexpr double kByteStatesNmse = 3e-3;

// Logits of two random layers, whose weights all have their own error.
inline constexpr double kInt16LogitsNmse = 5e-7;
inline constexpr double kInt8LogitsNmse = 2e-4;
// Logits of unlikely tokens come from 8 bits a weight in fp32 (4.5e-5 on speech), from 4 bits in
// int16 and int8 (4.3e-3 with uniform weights, whose columns have little in common).
inline constexpr double kScreenedLogitsNmse = 1e-4;
inline constexpr double kRoughlyScreenedLogitsNmse = 8e-3;

// ---- npu time model against published figures: the margins of the issue of record

inline constexpr double kPublishedGemm = 0.10;     // single kernels, whole array
inline constexpr double kPublishedCall = 0.25;     // launch included, clock not published
inline constexpr double kPublishedEncoder = 0.20;  // scaled by FLOPs from another size
inline constexpr double kPublishedSeed = 0.20;     // per-call times are means of a few calls

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

// One step of what a file of so many bits can hold: libsndfile writes the top bits and cuts the
// rest.
inline constexpr double kPcm8 = 0x1p-7;
inline constexpr double kPcm16 = 0x1p-15;
// Half a step of the 16 bits that floating-point samples are rounded to.
inline constexpr double kRounded16 = 0x1p-16;
// A sine well inside the pass band after libswresample, whose filter has 15 bits like the samples:
// steps of 3e-5 of the file, the filter and the result, and its ripple.
inline constexpr double kResampled = 2e-4;
// A sine after a lossy codec at its default quality, one damaged frame in a hundred included.
inline constexpr double kLossyNmse = 0.02;

// ---- decoder and app: words

// Words in a row that may be missing, or too many, in real speech: tiny.en now and then hears
// another number of words ("space flight", a name), but a chunk's lost end is a clause.
inline constexpr std::size_t kWordsAstray = 3;
// Words that tiny.en may hear in 31 s without speech and without VAD: openai-whisper with the same
// weights hears " you you" in silence; a loop fills the window with hundreds.
inline constexpr std::size_t kWordsInvented = 12;

// ---- app: fields of a segment against openai-whisper in fp32, the same tokens

// Rounding in another order: on 58 English files the largest differences are 1.9e-5 and 7.4e-6.
inline constexpr double kAvgLogprob = 5e-5;
inline constexpr double kNoSpeechProbability = 2e-5;

}  // namespace wnpu::tests::tolerance
