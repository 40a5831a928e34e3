#include <array>
#include <cstdio>

#include "npu/first_light/result.h"

namespace wnpu::npu {

std::string bits_text(std::uint16_t bits) {
  std::array<char, 8> text{};
  std::snprintf(text.data(), text.size(), "0x%04x", static_cast<unsigned>(bits));
  return text.data();
}

namespace {

std::string six_digits(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.6g", value);
  return text.data();
}

std::string step_text(const Difference& d) {
  std::string text = d.region + ": " + std::to_string(d.differing) + " of " +
                     std::to_string(d.compared) + " differ, first ";
  text += d.place ? d.place->matrix + " row " + std::to_string(d.place->row) + " column " +
                        std::to_string(d.place->column)
                  : "element " + std::to_string(d.element) + " (in padding, or of rows in int8)";
  text += ": expected " + bits_text(d.expected) + ", found " + bits_text(d.found);
  return text + (d.max_ulp ? ", at most " + std::to_string(*d.max_ulp) + " ulp apart" : "");
}

std::string step_text(const StepResult& step) {
  std::string text = std::string(kStepNames[static_cast<std::size_t>(step.step)]) + ": " +
                     std::string(kStatusNames[static_cast<std::size_t>(step.status)]);
  if (!step.reason.empty()) text += ": " + step.reason;
  text += "\n";
  for (const Check& check : step.checks) {
    text += "  " + check.call + ", " + check.values + " values: ";
    text += check.differences.empty() ? std::to_string(check.compared) + " elements equal\n" : "\n";
    for (const Difference& difference : check.differences) {
      text += "    " + step_text(difference) + "\n";
    }
  }
  return text;
}

}  // namespace

std::string first_light_text(const FirstLight& result) {
  const Machine& machine = result.machine;
  std::string text = machine.product + ", " + machine.device + "\n";
  if (machine.is_simulated) {
    text += "SIMULATED: no silicon was here; times are the model's, bits the simulator's own\n";
  }
  for (const StepResult& step : result.steps) text += step_text(step);
  for (const CallTime& time : result.times) {
    text += "  " + time.call + ": median " + six_digits(time.median_us) + " us, p95 " +
            six_digits(time.p95_us) + " us of " + std::to_string(time.runs) +
            (time.runs == 1 ? " run\n" : " runs\n");
  }
  for (const Measured& m : result.measured) {
    text += m.name + ": " + (m.value ? six_digits(*m.value) + " " + m.unit : "not measured") +
            (m.note.empty() ? "" : " (" + m.note + ")") + "\n";
  }
  if (machine.clock_ghz) {
    text += "clock: " + six_digits(*machine.clock_ghz) + " GHz (" + machine.clock_source + ")\n";
  }
  text += "power: " + (result.watts ? six_digits(*result.watts) + " W" : "not available") + "\n";
  return text;
}

}  // namespace wnpu::npu
