// `whisper-npu npu`: a file an action.
#pragma once

#include <string>

#include "app/options/subcommand.h"

namespace wnpu::app {

// Its options live as long as the command does.
Subcommand npu_command();

// Verdict on layers' designs, one by options, or many as JSON, a line each; and their modelled
// time.
Subcommand check_action();
Subcommand predict_action();
// A tensor operation on an NPU or its simulator, from .npy files to one.
Subcommand compute_action();
// The array's configuration, the calls and the cores' program as one folder, for mlir-aie and
// Peano.
Subcommand emit_action();
// The calls of a layer on an NPU, or on its simulator, compared with the simulator's bits and
// timed.
Subcommand first_light_action();
// Operators: what they are, whether they are what they say, and how long they take.
Subcommand op_action();
// Modelled time of every way to divide an encoder among devices.
Subcommand split_action();

// --size and --precision of the encoder layer that an action is about; what the texts have already
// is the default.
void add_layer_options(CLI::App& app, std::string& size, std::string& precision);

}  // namespace wnpu::app
