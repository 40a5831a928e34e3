// Texts of a transcript as valid UTF-8.
#pragma once

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// All that comes from outside (texts of the model, names of files, messages) with U+FFFD for broken
// characters, and a warning that says how many texts had some.
Transcript repaired(Transcript transcript);

}  // namespace wnpu::app
