#include "app/system/build_info.h"
#include "bench/core/noise.h"
#include "bench/core/results.h"
#include "bench/core/text_table.h"

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
