// The shape of an NPU runtime without the runtime: buffers that are synced by hand and programs
// that are called with them. Implementations: the simulator and XRT. Nothing here knows Whisper.
//
// In XRT's words: a Device is a hw_context with the one overlay loaded, a Program is the kernel
// together with one instruction buffer, a Run is an xrt::run with its buffer arguments set, and
// run_all is an xrt::runlist. The argument layout is in npu/design/layer_abi.h.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <stdexcept>
#include <string_view>
#include <utility>
#include <vector>

namespace wnpu::npu {

struct Design;
struct Target;

// A device that is missing, refused, failed or timed out. what() names device, call and cause.
struct DeviceError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// run_all was asked to give up (Device::set_should_stop).
struct Stopped : std::runtime_error {
  Stopped() : std::runtime_error("stopped on request") {}
};

// Memory that host and device see through an explicit copy: what is written to host() reaches the
// device with to_device() only, and results reach host() with from_device() only.
class Buffer {
 public:
  virtual ~Buffer() = default;
  virtual std::span<std::byte> host() = 0;  // the mapped bytes
  virtual void to_device() = 0;             // copies all of host() to the device
  virtual void from_device() = 0;           // copies all back (xrt::bo::sync)
};

// One loaded instruction stream for the resident overlay.
class Program {
 public:
  virtual ~Program() = default;
  // A buffer for data argument `argument` (0 = first data argument) of `bytes` bytes. It may be
  // given to every program of the same device, and lives no longer than the device.
  virtual std::unique_ptr<Buffer> allocate(std::size_t bytes, int argument) = 0;
  // Runs to completion. Throws DeviceError on a wrong argument, a failed command, or when
  // `timeout` has passed.
  virtual void run(std::span<Buffer* const> arguments, std::chrono::milliseconds timeout) = 0;
};

// One call within a list.
struct Run {
  Program* program = nullptr;
  std::vector<Buffer*> arguments;
};

// Counts and times of a device since it was opened, or since reset_stats().
struct RunStats {
  std::size_t launches = 0;           // program calls
  std::size_t submissions = 0;        // commands given to the driver; a list counts once
  std::uint64_t ddr_read_bytes = 0;   // by the array; counted by the simulator, 0 on hardware
  std::uint64_t ddr_write_bytes = 0;  // the same
  // Bytes synced between host and device, each buffer counted whole. Hardware copies none of it
  // where host() is the device's own memory, and flushes caches; the simulator does.
  std::uint64_t to_device_bytes = 0;
  std::uint64_t from_device_bytes = 0;
  double modelled_ms = 0;             // the simulator's time model; 0 on hardware
  double wall_ms = 0;                 // measured on the host around the calls
  std::size_t buffer_bytes = 0;       // of all buffers that are allocated now (Program::allocate)
  std::size_t peak_buffer_bytes = 0;  // the most that were allocated at once
};

class Device {
 public:
  virtual ~Device() = default;
  virtual std::string_view description() const = 0;
  // True where results are computed by a simulator; whatever is reported must then say so.
  virtual bool is_simulated() const = 0;
  // The array that programs must be designed for.
  virtual const Target& target() const = 0;
  // The program of `design`. The simulator runs the design itself; hardware takes the instruction
  // stream with the same hash from the overlay's manifest, and throws DeviceError if there is none
  // or if the overlay was made from other tiles and fifos (design.h overlay_hash).
  virtual std::unique_ptr<Program> load(const Design& design) = 0;
  // Runs all, in order, as one submission. The first failure ends the list with a DeviceError that
  // says which run it was; `timeout` is for the whole list.
  virtual void run_all(std::span<const Run> runs, std::chrono::milliseconds timeout) = 0;
  virtual RunStats stats() const = 0;
  virtual void reset_stats() = 0;

  // Asked while run_all works, from its thread; true makes it throw Stopped, and what its runs
  // wrote is undefined then. The simulator asks all the time; hardware ends what it was given, some
  // tens of milliseconds.
  void set_should_stop(std::function<bool()> should_stop) { should_stop_ = std::move(should_stop); }

 protected:
  const std::function<bool()>& should_stop() const { return should_stop_; }
  void stop_if_asked() const {
    if (should_stop_ && should_stop_()) throw Stopped();
  }

 private:
  std::function<bool()> should_stop_;
};

}  // namespace wnpu::npu
