#include "app/commands/devices/checks.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <numbers>
#include <utility>

#include <nlohmann/json.hpp>

#include "app/commands/devices/device_list.h"
#include "app/engine/devices/backends.h"
#include "app/engine/devices/ort_devices.h"
#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/options/exit_code.h"
#include "audio/read/libraries.h"
#include "models/files/open_model.h"
#include "models/kernels/vectors/blas.h"

namespace wnpu::app {
namespace {

constexpr const char* kListModels = "whisper-npu models list";

// State of a missing part: failed if it was asked for.
CheckState absent_or_failed(bool is_asked_for) {
  return is_asked_for ? CheckState::failed : CheckState::absent;
}

Check check_cpu(const ListedCpu& cpu) {
  return {"CPU", CheckState::ok,
          std::to_string(cpu.cpus) + " CPUs, kernels " + cpu.kernels + ", --precision auto is " +
              std::string(cpu.auto_precision),
          ""};
}

Check check_npu(const ListedNpu& npu, bool is_asked_for) {
  const std::string name = npu.name == kNpuBackend ? "NPU" : npu.name;
  if (npu.reason.empty()) return {name, CheckState::ok, npu.xrt.name + ", " + npu.xclbin, ""};
  return {name, absent_or_failed(is_asked_for), npu.reason, npu.remedy};
}

Check check_locked_memory(bool is_asked_for) {
  const npu::LockedMemory memory = npu::locked_memory();
  const std::string problem = npu::locked_memory_problem(memory);
  if (!problem.empty()) {
    return {"locked memory", absent_or_failed(is_asked_for), problem, npu::kRaiseLockedMemory};
  }
  return {"locked memory", CheckState::ok,
          memory.is_unlimited ? "unlimited" : std::to_string(memory.limit_bytes >> 10) + " KiB",
          ""};
}

void check_npus(const DeviceList& list, bool is_asked_for, std::vector<Check>& checks) {
  // One NPU of several that works is enough, unless each is named: the trial opens what is named.
  const auto works = [](const ListedNpu& npu) { return npu.reason.empty(); };
  const bool none_works = std::ranges::none_of(list.npus, works);
  for (const ListedNpu& npu : list.npus)
    checks.push_back(check_npu(npu, is_asked_for && none_works));
  checks.push_back(check_locked_memory(is_asked_for));
  checks.push_back({"XRT", list.has_xrt() ? CheckState::ok : absent_or_failed(is_asked_for),
                    list.xrt, list.has_xrt() ? "" : kBuildWithXrt});
}

// The provider and its device too, where they are asked for.
Check check_ort(const Options& options, const encoder::OrtProviders& found) {
  if (may_be(options.device.requested, kOrtBackend)) {
    try {
      open_ort_device(options.device, {}, 1);
    } catch (const npu::DeviceError& error) {
      return {"ONNX Runtime", CheckState::failed, error.what(), ""};
    }
  }
  if (!found.problem.empty()) return {"ONNX Runtime", CheckState::absent, found.problem, ""};
  std::string providers;
  for (const encoder::OrtProvider& provider : found.providers) providers += " " + provider.name;
  return {"ONNX Runtime", CheckState::ok, found.version + ", providers" + providers, ""};
}

void check_libraries(const Options& options, std::vector<Check>& checks) {
  for (const audio::OptionalLibrary& library : audio::optional_libraries()) {
    const bool is_there = library.problem.empty();
    checks.push_back(
        {std::string(library.name), is_there ? CheckState::ok : CheckState::absent,
         "for " + std::string(library.needed_for) + (is_there ? "" : ": " + library.problem),
         is_there ? "" : "sudo apt install libavformat59 libavcodec59 libswresample4"});
  }
  const bool has_blas = kernels::has_blas();
  const bool wants_blas = options.gemm == kernels::Gemm::blas;
  checks.push_back({"OpenBLAS", has_blas ? CheckState::ok : absent_or_failed(wants_blas),
                    "for --gemm blas", has_blas ? "" : "sudo apt install libopenblas0"});
}

Check check_model(const Options& options) {
  try {
    const std::filesystem::path path = find_model(
        options.model,
        options.model_dir.empty() ? model_folder() : std::filesystem::path(options.model_dir));
    const auto file = models::open_model(path, model_folder());
    return {
        "model", CheckState::ok,
        path.string() + ", " + std::string(file->format()) + ", " + std::string(file->main_dtype()),
        ""};
  } catch (const std::exception& error) {
    const std::string where = options.model_dir.empty() ? "" : " --model-dir " + options.model_dir;
    const HubModel* const published = find_hub_model(options.model);
    return {"model", CheckState::failed, text_of(error),
            published == nullptr
                ? kListModels
                : "whisper-npu models pull " + std::string(published->name) + where};
  }
}

Check check_detector() {
  const std::filesystem::path weights = vad_weights_file();
  std::error_code error;
  const bool is_there = std::filesystem::is_regular_file(weights, error);
  return {"speech detector", is_there ? CheckState::ok : CheckState::absent,
          (is_there ? "" : "for --vad True: no ") + weights.string(),
          is_there ? "" : "whisper-npu models pull " + std::string(hub_detector().name)};
}

// A tone, which is no speech: that it is gone through is what counts, not what is heard in it.
std::vector<float> trial_sound() {
  constexpr double kRate = 16000;
  std::vector<float> samples(static_cast<std::size_t>(kRate * kTrialSeconds));
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double turns = 440 * static_cast<double>(i) / kRate;
    samples[i] = static_cast<float>(0.1 * std::sin(2 * std::numbers::pi * turns));
  }
  return samples;
}

std::string trial_text(const Transcript& transcript) {
  std::array<char, 128> text{};
  std::snprintf(text.data(), text.size(), "%.0f s of sound on %s in %.2f s, %.2f s to load",
                kTrialSeconds, transcript.device.used.c_str(), transcript.timing.total,
                transcript.timing.load);
  return std::string(text.data()) + (transcript.device.simulated ? " (simulated)" : "");
}

Check run_trial(const Options& options) {
  try {
    kernels::use_gemm(options.gemm);
    const Model model(options.model, {options.model_dir, options.device, options.threads});
    Session session(model);
    TranscribeOptions greedy;
    greedy.beam_size = 1;
    greedy.temperature_increment_on_fallback = std::nullopt;
    greedy.language = model.is_multilingual() ? "en" : "";
    const std::vector<float> samples = trial_sound();
    const Transcript transcript = session.transcribe(Audio::from_samples(samples), greedy);
    if (!transcript.device.fallback.empty()) {
      return {"trial", CheckState::failed, transcript.device.fallback, ""};
    }
    return {"trial", CheckState::ok, trial_text(transcript), ""};
  } catch (const std::exception& error) {
    return {"trial", CheckState::failed, text_of(error), ""};
  }
}

}  // namespace

std::vector<Check> check_all(const Options& options) {
  const bool wants_npu =
      options.device.requested != kAutoDevice && may_be(options.device.requested, kNpuBackend);
  const DeviceList list = list_devices(options.device.xclbin, ort_places(options.device.ort));
  std::vector<Check> checks{check_cpu(list.cpu)};
  check_npus(list, wants_npu, checks);
  checks.push_back(check_ort(options, list.ort));
  check_libraries(options, checks);
  checks.push_back(check_detector());
  checks.push_back(check_model(options));
  checks.push_back(run_trial(options));
  return checks;
}

bool is_well(const std::vector<Check>& checks) {
  return std::ranges::none_of(checks,
                              [](const Check& check) { return check.state == CheckState::failed; });
}

std::string checks_text(const std::vector<Check>& checks) {
  std::size_t width = 0;
  for (const Check& check : checks) width = std::max(width, check.name.size());
  std::string text;
  for (const Check& check : checks) {
    std::string head(kCheckStateNames[static_cast<std::size_t>(check.state)]);
    head.resize(8, ' ');
    head += check.name;
    head.resize(8 + width + 2, ' ');
    text += head + check.found + "\n";
    if (!check.remedy.empty())
      text += std::string(head.size(), ' ') + "try: " + check.remedy + "\n";
  }
  return text + (is_well(checks) ? "All that was asked for works.\n"
                                 : "What was asked for does not work.\n");
}

std::string checks_json(const std::vector<Check>& checks) {
  using Json = nlohmann::ordered_json;
  Json all = Json::array();
  for (const Check& check : checks) {
    all.push_back({{"name", check.name},
                   {"state", kCheckStateNames[static_cast<std::size_t>(check.state)]},
                   {"found", check.found},
                   {"remedy", check.remedy}});
  }
  const Json document = {
      {"schema_version", 1}, {"works", is_well(checks)}, {"checks", std::move(all)}};
  return document.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

}  // namespace wnpu::app
