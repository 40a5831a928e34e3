// The shape of an NPU runtime without the runtime: buffers that are synced by hand and programs
// that are called with them. Implementations: the simulator and XRT. Nothing here knows Whisper.
#pragma once

#include <chrono>
#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>

namespace wnpu::npu {

// A device that is missing, refused, failed or timed out. what() names device, call and cause.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Memory that host and device see through an explicit copy: what is written to host() reaches the
// device with to_device() only, and results reach host() with from_device() only.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::span<std::byte> host() = 0;
  virtual void to_device() = 0;
  virtual void from_device() = 0;
};

// One loaded program (on an NPU: one instruction stream for the resident overlay).
class Program {
 public:
  virtual ~Program() = default;
  // A buffer for argument `argument` (0 = first data argument) of `bytes` bytes.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, int argument) = 0;
  // Runs to completion. Throws DeviceError on a wrong argument, a failed command, or when
  // `timeout` has passed.
  virtual void run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) = 0;
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view description() const = 0;
  // True where results are computed by a simulator; whatever is reported must then say so.
  virtual bool is_simulated() const = 0;
};

}  // namespace wnpu::npu
