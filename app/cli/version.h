// Identity of this build: for --version, JSON and bug reports.
#pragma once

#include <string>

namespace wnpu::app {

// One line, or a JSON object with the same and the folders that are looked at; ends with a newline.
std::string version_text(bool as_json);

}  // namespace wnpu::app
