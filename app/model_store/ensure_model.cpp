#include "app/model_store/ensure_model.h"

#include <algorithm>
#include <filesystem>
#include <iostream>
#include <string>

#include "app/engine/available_cpus.h"
#include "app/engine/devices/device_choice.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/offer.h"
#include "app/model_store/memory_fit.h"
#include "app/model_store/packed_file.h"
#include "app/options/exit_code.h"
#include "models/files/open_model.h"
#include "npu/probe.h"

namespace wnpu::app {
namespace {

// Without an NPU or its simulator; of those the limit bounds the buffers.
bool is_of_host(const Options& options) {
  return options.device.memory_limit.has_value() && !options.dry_run &&
         choose_device(options.device, npu::probe(), 1).devices == nullptr;
}

void bound_memory(Options& options) {
  // Estimates of memory do not cover several recordings at work together.
  if (!options.manifest.file.empty()) {
    throw UsageError(
        "--memory-limit: expected an NPU or its simulator, whose buffers it bounds where rows are "
        "worked on, found the CPU");
  }
  if (options.gemm != kernels::Gemm::own) {
    throw UsageError(
        "--memory-limit and --gemm blas exclude each other: what OpenBLAS takes is "
        "not known");
  }
  const std::filesystem::path folder =
      options.model_dir.empty() ? model_folder() : std::filesystem::path(options.model_dir);
  const unsigned most = available_cpus();
  const unsigned threads = options.threads == 0 ? most : std::min(options.threads, most);
  const ModelFacts model =
      facts_of(*models::open_model(find_model(options.model, folder), model_folder()));
  fit_memory(model, {threads, most}, options);
}

}  // namespace

void ensure_model(Options& options, Messages& messages) {
  pull_missing_model(options, std::cin, std::cerr);
  if (is_of_host(options)) {
    bound_memory(options);
  } else {
    renew_packed_model(options, messages);
  }
  for (const Chosen& each : options.choices.options)
    messages.detail(each.reason + ": " + each.option + " " + each.value);
  if (options.choices.memory_limit) {
    messages.detail("--memory-limit: " + std::to_string(options.choices.memory_estimate >> 20) +
                    " MiB at most as estimated, " +
                    std::to_string(options.transcribe.feature_bytes >> 20) +
                    " of them for log-mel");
  }
}

}  // namespace wnpu::app
