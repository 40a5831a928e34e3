#include "app/options/optimization.h"

#include <filesystem>
#include <string>

#include "app/engine/devices/backends.h"
#include "app/engine/devices/device_names.h"
#include "app/engine/model_path.h"
#include "app/engine/option_check.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kAccurateBeams = 5;
constexpr std::size_t kFastBatch = 8;

using IsGiven = std::function<bool(std::string_view)>;

struct Goal {
  std::string_view precision;
  std::size_t beams;
  bool is_batched;
  std::string_view npu_precision;
};

Goal goal_of(std::string_view name) {
  if (name == "speed") return {"int8", 1, true, "int8"};
  if (name == "memory") return {"int8", 1, false, "int8"};
  return {"fp32", kAccurateBeams, false, "bf16"};
}

bool is_any_given(const IsGiven& is_given, std::initializer_list<std::string_view> names) {
  for (const std::string_view name : names) {
    if (is_given(name)) return true;
  }
  return false;
}

// An NPU or a simulator by its name: what `auto` finds is not known yet.
bool names_npu(const Options& options) {
  const std::string& requested = options.device.requested;
  return requested != kAutoDevice &&
         (may_be(requested, kNpuBackend) || may_be(requested, kSimulatorBackend));
}

// Batches are made of speech that the detector finds, without the text before as a prompt. Rows of
// a manifest are decoded together as they are.
bool can_be_batched(const IsGiven& is_given, const Options& options) {
  if (!options.manifest.file.empty()) return false;
  if (is_any_given(is_given, {"--batch-size", "--clip-timestamps", "--condition-on-previous-text"}))
    return false;
  if (options.vad == false) return false;
  std::error_code error;
  return std::filesystem::is_regular_file(options.transcribe.vad.weights, error);
}

}  // namespace

void optimize_for(std::string_view goal, const IsGiven& is_given, Options& options) {
  const Goal wanted = goal_of(goal);
  options.choices.optimize_for = goal;
  const std::string reason = "--optimize-for " + std::string(goal);
  const auto chose = [&](const char* option, std::string_view value) {
    options.choices.options.push_back({option, std::string(value), reason});
  };
  TranscribeOptions& transcribe = options.transcribe;
  // --fp16 False and --gemm blas have set fp32.
  if (!is_given("--precision") && options.device.cpu_precision == "auto") {
    options.device.cpu_precision = wanted.precision;
    chose("--precision", wanted.precision);
  }
  if (!is_any_given(is_given, {"--beam-size", "--patience", "--length-penalty", "--temperature"})) {
    transcribe.beam_size = wanted.beams;
    chose("--beam-size", std::to_string(wanted.beams));
  }
  if (wanted.is_batched && can_be_batched(is_given, options)) {
    transcribe.batch_size = kFastBatch;
    chose("--batch-size", std::to_string(kFastBatch));
  }
  if (goal == "memory" && !is_any_given(is_given, {"--best-of", "--length-penalty"})) {
    transcribe.best_of = 1;
    chose("--best-of", "1");
  }
  if (!names_npu(options) || !options.device.plan_file.empty() ||
      is_any_given(is_given, {"--npu-plan", "--npu-precision"}))
    return;
  chose("--npu-plan", options.device.plan);
  options.device.precision = wanted.npu_precision;
  chose("--npu-precision", wanted.npu_precision);
}

}  // namespace wnpu::app
