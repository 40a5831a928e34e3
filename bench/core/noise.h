// Whether a machine was quiet enough for what was measured on it.
#pragma once

#include "bench/core/meters.h"
#include "bench/core/results.h"

namespace wnpu::bench {

// Others' shares of all CPUs' time above which times are not to be relied on.
inline constexpr double kQuietOtherCpu = 0.03;
inline constexpr double kQuietSteal = 0.01;

// `spread` is the largest p90 / p10 of the figures that count.
NoiseVerdict judge_noise(double spread, const NoiseMeter::Noise& others);

// "quiet" or "NOISY: ...", with the figures.
std::string noise_line(const NoiseVerdict& verdict);

}  // namespace wnpu::bench
