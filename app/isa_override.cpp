#include "app/isa_override.h"

#include <cctype>
#include <string>

#include "app/exit_code.h"
#include "models/instruction_set.h"

namespace wnpu::app {

void override_instruction_set(const char* value) {
  if (value == nullptr || *value == '\0' || models::use_instruction_set(value)) return;
  std::string known;
  for (const std::string& name : models::instruction_sets()) {
    if (!known.empty()) known += ", ";
    for (const char letter : name) {
      known += static_cast<char>(std::tolower(static_cast<unsigned char>(letter)));
    }
  }
  throw UsageError(std::string("WNPU_ISA: expected one of ") + known +
                   ", which this machine can run, found " + value);
}

}  // namespace wnpu::app
