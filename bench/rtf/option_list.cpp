#include <algorithm>
#include <array>
#include <filesystem>
#include <sstream>
#include <string_view>

#include "bench/rtf/rtf.h"

namespace wnpu::bench {
namespace {

std::string text_of_number(double value) {
  std::ostringstream text;
  text << value;
  return text.str();
}

// Names without folders: results of record name no machine's paths.
std::string names_of(const std::vector<std::string>& files) {
  std::string names;
  for (const std::string& file : files) {
    names += (names.empty() ? "" : " ") + std::filesystem::path(file).filename().string();
  }
  return names;
}

// Options that the list has already, by another name or by what came of them.
constexpr std::array<std::string_view, 4> kListed = {"model", "device", "precision", "fp16"};

void add_given(const BenchOptions& options,
               std::vector<std::pair<std::string, std::string>>& list) {
  for (const auto& [name, value] : options.given) {
    const bool is_listed =
        std::ranges::find(kListed, name) != kListed.end() ||
        std::ranges::any_of(list, [&name = name](const auto& one) { return one.first == name; });
    if (!is_listed) list.emplace_back(name, value);
  }
}

}  // namespace

std::vector<std::pair<std::string, std::string>> option_list(const BenchOptions& options,
                                                             const std::vector<std::string>& files,
                                                             const Transcript& first) {
  const TranscribeOptions& transcribe = options.work.transcribe;
  std::vector<std::pair<std::string, std::string>> list = {
      {"model", std::filesystem::path(first.model.path).filename().string()},
      {"model_format", first.model.format + " " + first.model.quantization},
      {"device_requested", first.device.requested},
      {"device_used", first.device.used + (first.device.simulated ? " (simulated)" : "")},
      {"kernels", first.device.kernels},
      {"cpu_precision", first.device.cpu_precision},
      {"threads", std::to_string(options.work.threads)},
      {"beam_size", std::to_string(transcribe.beam_size)},
      {"batch_size", std::to_string(transcribe.batch_size)},
      {"temperature", text_of_number(transcribe.temperature)},
      {"language", transcribe.language.empty() ? "auto" : transcribe.language},
      {"task", first.task},
      {"vad", transcribe.vad.enabled ? "True" : "False"},
      {"word_timestamps", transcribe.word_timestamps ? "True" : "False"},
      {"files", names_of(files)}};
  if (first.device.npu) {
    list.emplace_back("npu_plan", first.device.npu->plan);
    list.emplace_back("npu_precision", first.device.npu->precision);
    list.emplace_back("npu_preset", first.device.npu->preset);
  }
  add_given(options, list);
  return list;
}

}  // namespace wnpu::bench
