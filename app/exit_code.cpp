#include "app/exit_code.h"

#include <csignal>

#include "audio/error.h"
#include "models/error.h"
#include "npu/device.h"

namespace wnpu::app {
namespace {

template <typename Error>
bool is(const std::exception& error) {
  return dynamic_cast<const Error*>(&error) != nullptr;
}

}  // namespace

int exit_code_of(const std::exception& error) {
  ExitCode code = ExitCode::internal;
  if (is<UsageError>(error)) code = ExitCode::usage;
  if (is<models::ModelError>(error)) code = ExitCode::model;
  if (is<audio::AudioError>(error)) code = ExitCode::audio;
  if (is<npu::DeviceError>(error)) code = ExitCode::device;
  if (is<OutputError>(error)) code = ExitCode::output;
  if (is<BrokenPipe>(error)) return static_cast<int>(ExitCode::signal) + SIGPIPE;
  return static_cast<int>(code);
}

}  // namespace wnpu::app
