#include "app/options/exit_code.h"

#include <algorithm>
#include <array>
#include <csignal>
#include <new>
#include <string_view>

#include "app/engine/error.h"

namespace wnpu::app {
namespace {

constexpr std::array kTexts = {
    ExitCodeText{"0", "all went well"},
    ExitCodeText{"1",
                 "at least one of several files failed, the others are done; a check (doctor, "
                 "bench --check, npu op validate, subtitles check) failed"},
    ExitCodeText{"2", "arguments that make no sense"},
    ExitCodeText{"3", "the model is missing, damaged or not what it claims"},
    ExitCodeText{"4", "the only input cannot be decoded"},
    ExitCodeText{"5", "the device that was asked for cannot be used"},
    ExitCodeText{"6", "a result cannot be written, or would replace a file that is there"},
    ExitCodeText{"7", "not enough memory, or no more threads or open files"},
    ExitCodeText{"8",
                 "the only input needs a library that is not installed, or an operator from "
                 "outside cannot be used"},
    ExitCodeText{"9", "the only input's URL could not be fetched; a try later may do better"},
    ExitCodeText{"70", "a bug"},
    ExitCodeText{"128 + N", "stopped by signal N"},
};

template <typename Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

// Command line's name for a field of the engine's options.
std::string option_name(std::string_view field) {
  if (field == "speakers.names") return "--speaker-names";
  if (field.starts_with("speakers.")) return "--speakers";
  if (field == "sample_len") return "--max-tokens";
  if (field == "device.cpu_precision") return "--precision";
  if (field == "device.plan") return "--npu-plan";
  if (field == "device.precision") return "--npu-precision";
  if (field == "device.preset") return "--npu-preset";
  if (field == "device.npu_operator") return "--npu-operator";
  if (field == "device.operators") return "--operator";
  if (field == "device.split") return "--device-split";
  if (field == "device.ort.weights") return "--ort-weights";
  if (field == "device.ort.options") return "--ort-option";
  if (field == "device.cpu_window_ms") return "--cpu-window-ms";
  if (field == "device.npu_window_ms") return "--npu-window-ms";
  std::string name = "--" + std::string(field);
  std::ranges::replace_if(
      name, [](char c) { return c == '_' || c == '.'; }, '-');
  return name;
}

}  // namespace

std::span<const ExitCodeText> exit_code_texts() { return kTexts; }

std::string text_of(const std::exception& error) {
  if (is<std::bad_alloc>(error)) return "not enough memory";
  const auto* ours = dynamic_cast<const Error*>(&error);
  if (ours == nullptr || ours->option().empty()) return error.what();
  const std::string_view text = ours->what();
  return option_name(ours->option()).append(text.substr(ours->option().size()));
}

Transcript with_option_names(Transcript transcript) {
  constexpr std::array<std::array<std::string_view, 2>, 6> kNames{
      {{"clip_timestamps:", "--clip-timestamps:"},
       {"speakers.names:", "--speaker-names:"},
       {"`language`", "--language"},
       {"`multilingual`", "--multilingual"},
       {"`vad.enabled`", "--vad True"},
       {"`language_detection_segments`", "--language-detection-segments"}}};
  for (std::string& warning : transcript.warnings) {
    for (const auto& [field, option] : kNames) {
      const std::size_t at = warning.find(field);
      if (at != std::string::npos) warning.replace(at, field.size(), option);
    }
  }
  return transcript;
}

int exit_code_of(const std::exception& error) {
  if (is<BrokenPipe>(error)) return static_cast<int>(ExitCode::signal) + SIGPIPE;
  if (is<UsageError>(error)) return static_cast<int>(ExitCode::usage);
  if (is<OutputError>(error)) return static_cast<int>(ExitCode::output);
  if (is<NetworkError>(error)) return static_cast<int>(ExitCode::network);
  return static_cast<int>(error_code(error));
}

bool is_of_one_file(const std::exception& error) {
  if (is<OneOutputError>(error)) return true;
  switch (exit_code_of(error)) {
    case static_cast<int>(ErrorCode::audio):
    case static_cast<int>(ErrorCode::library):
    case static_cast<int>(ExitCode::network):
    case static_cast<int>(ErrorCode::resources):
    case static_cast<int>(ErrorCode::internal):
      return true;
    default:
      return false;
  }
}

}  // namespace wnpu::app
