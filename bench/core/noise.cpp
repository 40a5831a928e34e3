#include "bench/core/noise.h"

#include "bench/core/stats.h"
#include "bench/core/text_table.h"

namespace wnpu::bench {

NoiseVerdict judge_noise(double spread, const NoiseMeter::Noise& others) {
  NoiseVerdict verdict{spread, others.other_cpu, others.steal, ""};
  const auto add = [&verdict](bool is_noisy, const std::string& reason) {
    if (is_noisy) verdict.reason += (verdict.reason.empty() ? "" : "; ") + reason;
  };
  add(spread > kQuietSpread,
      "p90/p10 is " + fixed(spread, 2) + ", above " + fixed(kQuietSpread, 2));
  add(others.other_cpu > kQuietOtherCpu,
      "other processes had " + percent(others.other_cpu) + " of the CPUs' time");
  add(others.steal > kQuietSteal, "other virtual machines had " + percent(others.steal) + " of it");
  return verdict;
}

std::string noise_line(const NoiseVerdict& verdict) {
  if (!verdict.reason.empty()) return "NOISY, the figures are weak: " + verdict.reason;
  return "quiet: p90/p10 " + fixed(verdict.spread, 2) + ", others' CPU time " +
         percent(verdict.other_cpu) + ", stolen " + percent(verdict.steal);
}

}  // namespace wnpu::bench
