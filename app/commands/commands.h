// The commands beside transcribe, for the program and its manual page.
#pragma once

#include <vector>

#include "app/commands/align_command.h"
#include "app/commands/devices/devices_command.h"
#include "app/commands/models/models_command.h"
#include "app/commands/npu/npu_command.h"
#include "app/commands/plan/plan_command.h"
#include "app/commands/quantize/quantize_command.h"
#include "app/commands/speakers/speakers_command.h"
#include "app/commands/stream_command.h"
#include "app/commands/subtitles/subtitles_command.h"
#include "app/commands/worker_command.h"
#include "app/options/subcommand.h"
#include "app/serve/serve_command.h"
#include "bench/bench_command.h"

namespace wnpu::app {

inline std::vector<Subcommand> commands_beside_transcribe() {
  return {bench::bench_command(), models_command(),    quantize_command(), npu_command(),
          plan_command(),         stream_command(),    worker_command(),   serve::serve_command(),
          align_command(),        subtitles_command(), speakers_command(), devices_command(),
          doctor_command()};
}

}  // namespace wnpu::app
