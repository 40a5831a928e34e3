// Tolerances of the tests, each with its reason. Loosening one needs its own commit.
#pragma once

namespace wnpu::tests::tolerance {

// Half a step of float and of bfloat16, relative: one rounding to nearest. Truncation: twice that.
inline constexpr double kFloatRounding = 0x1p-24;
inline constexpr double kBf16Rounding = 0x1p-8;

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

// An attention weight: the exponent is rounded to 1/256 (ln 2 / 512), the table to bf16.
inline constexpr double kAttentionWeight = 1.36e-3 + kBf16Rounding;
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

// ---- npu time model against published figures: the margins of the issue of record

inline constexpr double kPublishedGemm = 0.10;     // single kernels, whole array
inline constexpr double kPublishedEncoder = 0.20;  // scaled by FLOPs from another size
inline constexpr double kPublishedSeed = 0.20;     // per-call times are means of a few calls

}  // namespace wnpu::tests::tolerance
