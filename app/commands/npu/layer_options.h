// The encoder layer that an action of `whisper-npu npu` is about, as options.
#pragma once

#include <string>

#include <CLI/CLI.hpp>

namespace wnpu::app {

// --size and --precision; what the texts have already is the default.
void add_layer_options(CLI::App& app, std::string& size, std::string& precision);

}  // namespace wnpu::app
