#include "app/engine/error.h"

#include <new>
#include <system_error>

#include "audio/read/error.h"
#include "models/base/error.h"
#include "npu/device.h"
#include "npu/ops/operator.h"

namespace wnpu {

Error::Error(ErrorCode code, const std::string& what) : std::runtime_error(what), code_(code) {}

Error::Error(std::string_view option, const std::string& what)
    : std::runtime_error(std::string(option) + what),
      code_(ErrorCode::usage),
      option_size_(option.size()) {}

Error::~Error() = default;

namespace app {
namespace {

template <typename E>
bool is(const std::exception& error) {
  return dynamic_cast<const E*>(&error) != nullptr;
}

// Length errors ask for more than any machine has.
bool is_of_resources(const std::exception& error) {
  const auto* system = dynamic_cast<const std::system_error*>(&error);
  const auto is_code = [system](std::errc code) {
    return system != nullptr && system->code() == code;
  };
  const bool lacks_thread =
      is_code(std::errc::resource_unavailable_try_again) || is_code(std::errc::not_enough_memory);
  const bool lacks_descriptor =
      is_code(std::errc::too_many_files_open) || is_code(std::errc::too_many_files_open_in_system);
  return is<models::MemoryError>(error) || is<std::bad_alloc>(error) ||
         is<std::length_error>(error) || lacks_thread || lacks_descriptor;
}

}  // namespace

ErrorCode error_code(const std::exception& error) {
  if (const auto* ours = dynamic_cast<const Error*>(&error)) return ours->code();
  if (is_of_resources(error)) return ErrorCode::resources;
  if (is<models::Stopped>(error)) return ErrorCode::stopped;
  if (is<models::ModelError>(error)) return ErrorCode::model;
  if (is<audio::MissingLibrary>(error) || is<models::LibraryError>(error) ||
      is<npu::OperatorError>(error))
    return ErrorCode::library;
  if (is<audio::AudioError>(error)) return ErrorCode::audio;
  if (is<npu::DeviceError>(error)) return ErrorCode::device;
  return ErrorCode::internal;
}

void rethrow_as_error(const std::string& subject) {
  try {
    throw;
  } catch (const Error&) {
    throw;
  } catch (const std::bad_alloc&) {
    throw Error(ErrorCode::resources, subject + ": not enough memory");
  } catch (const std::exception& error) {
    const ErrorCode code = error_code(error);
    if (code == ErrorCode::internal) throw;
    throw Error(code, error.what());
  }
}

bool StopQuestion::ask() noexcept {
  if (is_stopped_) return true;
  try {
    if (stop_.stop_requested() || (should_stop_ && should_stop_())) is_stopped_ = true;
  } catch (...) {
    const std::scoped_lock lock(mutex_);
    if (!thrown_) thrown_ = std::current_exception();
    is_stopped_ = true;
  }
  return is_stopped_;
}

void StopQuestion::rethrow() const {
  const std::scoped_lock lock(mutex_);
  if (thrown_) std::rethrow_exception(thrown_);
}

}  // namespace app
}  // namespace wnpu
