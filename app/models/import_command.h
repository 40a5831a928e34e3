// `whisper-npu models import`: a model whose encoder comes from an ONNX file.
#pragma once

#include "app/cli/subcommand.h"

namespace wnpu::app {

Subcommand import_action();

}  // namespace wnpu::app
