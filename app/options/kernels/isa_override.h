// WNPU_ISA: kernels of another instruction set than the machine's best.
#pragma once

namespace wnpu::app {

// The value of WNPU_ISA; null or empty: not set, and nothing happens. To be called before anything
// computes. Throws UsageError for what this machine cannot run.
void override_instruction_set(const char* value);

}  // namespace wnpu::app
