#include "app/options/kernels/isa_override.h"

#include <algorithm>
#include <cctype>
#include <string>

#include "app/options/exit_code.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::app {

void override_instruction_set(const char* value) {
  if (value == nullptr || *value == '\0') return;
  const auto set = kernels::parse_instruction_set(value);
  if (set && kernels::use_instruction_set(*set)) return;
  std::string known;
  for (const auto of_machine : kernels::instruction_sets()) {
    if (!known.empty()) known += ", ";
    known += kernels::instruction_set_name(of_machine);
  }
  std::ranges::transform(known, known.begin(), [](unsigned char c) { return std::tolower(c); });
  throw UsageError("WNPU_ISA: expected one of " + known + ", which this machine can run, found " +
                   value);
}

}  // namespace wnpu::app
