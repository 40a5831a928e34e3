// The command transcribe: options -> inputs, results and a model -> a batch, rows or a watched
// folder.
#pragma once

#include <string>
#include <vector>

#include "app/options/options.h"
#include "app/options/settings.h"

namespace wnpu::app {

// Does what `given` asks for; the process' exit code. `notes` are told first; `origins` explain
// which file or variable an option that makes no sense is from. Throws what exit_code_of() knows.
int transcribe_command(const Options& given, const std::vector<std::string>& notes,
                       const Origins& origins);

}  // namespace wnpu::app
