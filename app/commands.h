// The commands beside transcribe, for the program and its manual page.
#pragma once

#include <vector>

#include "app/cli/subcommand.h"
#include "app/devices/devices_command.h"
#include "app/devices/doctor_command.h"
#include "app/models/models_command.h"
#include "app/models/quantize_command.h"
#include "app/npu/npu_command.h"
#include "app/plan_job/plan_command.h"
#include "app/stream/stream_command.h"
#include "app/worker/worker_command.h"
#include "bench/bench_command.h"
#include "bench/search/search_command.h"

namespace wnpu::app {

inline std::vector<Subcommand> commands_beside_transcribe() {
  return {bench::bench_command(), models_command(),
          quantize_command(),     npu_command({bench::search_action()}),
          plan_command(),         stream_command(),
          worker_command(),       devices_command(),
          doctor_command()};
}

}  // namespace wnpu::app
