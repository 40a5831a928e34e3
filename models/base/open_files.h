// The files that the process may have open at once (ulimit -n), where they are all taken.
#pragma once

#include <string>

namespace wnpu::models {

// To be asked where something could not be opened: throws std::system_error, whose what() begins
// with `name`, where nothing can be.
void check_can_open_files(const std::string& name);

}  // namespace wnpu::models
