#include "app/system/build_info.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::bench {
namespace {

std::string machine_line(const app::Machine& machine, const std::string& instruction_set) {
  std::string line = machine.cpu + ", " + std::to_string(machine.usable_cpus) + " CPUs";
  if (machine.cpu_limit) line += " (limited to " + fixed(*machine.cpu_limit, 1) + ")";
  if (!instruction_set.empty()) line += ", " + instruction_set;
  return line + ", " + human_bytes(static_cast<double>(machine.memory_bytes)) + ", " +
         machine.kernel;
}

}  // namespace

Results results_of_mode(const std::string& mode) {
  Results results;
  results.mode = mode;
  results.instruction_set = kernels::instruction_set_name();
  return results;
}

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

std::string results_text(const Results& results, const app::Machine& machine) {
  std::string text = "machine: " + machine_line(machine, results.instruction_set) + "\n";
  text += std::string("program: whisper-npu ") + app::kVersion + " (" + app::kGitCommit + ", " +
          app::kBuildType + ")\n";
  std::string options;
  for (const auto& [name, value] : results.options) {
    options.append(options.empty() ? "options: " : ", ").append(name).append(" ").append(value);
  }
  if (!options.empty()) text += options + "\n";
  if (results.noise) text += "noise:   " + noise_line(*results.noise) + "\n";
  text += "\n" + results.text;
  for (const std::string& note : results.notes) text += "\nnote: " + note;
  return text + (results.notes.empty() ? "" : "\n");
}

}  // namespace wnpu::bench
