#include "app/worker/prepare_model.h"

#include <iostream>

#include "app/batch/progress.h"
#include "app/cli/exit_code.h"
#include "app/engine/devices/device_choice.h"
#include "app/hub/offer.h"
#include "app/packed/packed_file.h"
#include "npu/probe.h"

namespace wnpu::app {

void prepare_model(const Options& options) {
  if (options.device.memory_limit &&
      choose_device(options.device, npu::probe(), 1).devices.empty()) {
    throw UsageError(
        "--memory-limit: expected an NPU or its simulator, whose buffers it bounds where rows are "
        "worked on, found the CPU");
  }
  Messages messages(std::cerr, options.verbosity, false);
  pull_missing_model(options, std::cin, std::cerr);
  renew_packed_model(options, messages);
}

}  // namespace wnpu::app
