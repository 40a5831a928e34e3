// Options of ONNX Runtime.
#pragma once

#include <CLI/CLI.hpp>

#include "app/engine/whisper_npu_devices.hpp"

namespace wnpu::app {

// --ort-library and --ort-plugin: where it is.
void add_ort_places(CLI::App& app, OrtOptions& ort);
// These, --ort-option and --ort-weights.
void add_ort_options(CLI::App& app, OrtOptions& ort);

}  // namespace wnpu::app
