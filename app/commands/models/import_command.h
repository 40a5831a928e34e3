// `whisper-npu models import`: a model whose encoder comes from an ONNX file.
#pragma once

#include "app/options/subcommand.h"

namespace wnpu::app {

Subcommand import_action();

}  // namespace wnpu::app
