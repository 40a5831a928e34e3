// The manual page, of the same declarations that --help prints.
#pragma once

#include <string>
#include <string_view>

#include <CLI/CLI.hpp>

namespace wnpu::app {

// whisper-npu.1 for man: the program's commands with all of their options, in troff.
std::string manual_of(const CLI::App& program, std::string_view examples);

}  // namespace wnpu::app
