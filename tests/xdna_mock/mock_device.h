// One opened /dev/accel/accel0 of the stand-in: its buffers, contexts and commands.
//
// The file behind the descriptor is a memfd. Buffers that a program maps are ranges of it, so that
// its plain mmap just works; the stand-in has its own mapping of the same pages.
#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <drm/amdxdna_accel.h>
#include <drm/drm.h>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "tests/xdna_mock/mock_job.h"

namespace wnpu::tests {

struct MockBuffer {
  std::uint32_t type = 0;  // AMDXDNA_BO_*
  std::size_t bytes = 0;
  std::uint64_t address = 0;  // of the device
  std::uint64_t map_offset = AMDXDNA_INVALID_ADDR;
  std::uint8_t* host = nullptr;  // our view of the program's memory
  bool owns_mapping = false;
  std::vector<std::uint8_t> shadow;  // device memory, where it is kept apart

  MockBuffer() = default;
  ~MockBuffer();
  MockBuffer(const MockBuffer&) = delete;
  MockBuffer& operator=(const MockBuffer&) = delete;
  std::uint8_t* device_memory() { return shadow.empty() ? host : shadow.data(); }
};

struct MockContext {
  std::uint32_t id = 0;
  std::vector<std::vector<std::uint8_t>> pdis;                // one a compute unit
  std::deque<std::pair<std::uint64_t, std::uint32_t>> queue;  // sequence number, command buffer
  std::uint64_t next = 0;
  std::uint64_t done = 0;  // commands [0, done) have ended
  bool is_stopped = false;
  bool is_hung = false;
  std::condition_variable changed;
  std::thread worker;
};

class MockDevice : public std::enable_shared_from_this<MockDevice> {
 public:
  // Takes the memfd; throws std::bad_alloc where it cannot be mapped.
  explicit MockDevice(int file);
  ~MockDevice();
  MockDevice(const MockDevice&) = delete;
  MockDevice& operator=(const MockDevice&) = delete;

  // Each serves one ioctl and returns 0 or an errno.
  int create_buffer(amdxdna_drm_create_bo& request);
  int buffer_info(amdxdna_drm_get_bo_info& request);
  int close_buffer(std::uint32_t handle);
  int sync_buffer(const amdxdna_drm_sync_bo& request);
  int create_context(amdxdna_drm_create_hwctx& request);
  int configure_context(const amdxdna_drm_config_hwctx& request);
  int destroy_context(std::uint32_t handle);
  int submit(amdxdna_drm_exec_cmd& request);
  // Waits for command `sequence`; timeout_ms < 0: for ever.
  int wait(std::uint32_t context, std::uint64_t sequence, std::int64_t timeout_ms);

  void stop_all();
  std::size_t n_buffers() const;
  std::size_t n_contexts() const;

 private:
  using Buffer = std::shared_ptr<MockBuffer>;
  using Context = std::shared_ptr<MockContext>;

  std::uint8_t* map(std::uint64_t offset, std::size_t bytes) const;
  int place_in_heap(MockBuffer& buffer);
  int place_in_file(MockBuffer& buffer);
  void place_user_memory(MockBuffer& buffer, const amdxdna_drm_create_bo& request);
  Buffer buffer(std::uint32_t handle);
  std::span<std::byte> device_memory(std::uint64_t address);

  void work(const Context& context);
  CommandState run_packet(const MockContext& context, MockBuffer& packet);
  CommandState run_chain(const MockContext& context, std::uint32_t* packet);
  CommandState run_start(const MockContext& context, const std::uint32_t* packet, bool in_chain);
  void stop(const Context& context);

  const int file_;
  mutable std::mutex mutex_;
  std::uint64_t file_end_;
  std::uint64_t heap_used_ = 0;
  std::uint64_t heap_bytes_ = 0;
  std::uint64_t next_user_address_;
  std::uint32_t next_buffer_ = 1;
  std::uint32_t next_context_ = 1;
  std::map<std::uint32_t, Buffer> buffers_;
  std::map<std::uint32_t, Context> contexts_;
  std::uint8_t* heap_ = nullptr;
};

// Commands that have ended, of all devices, since the start.
unsigned long n_commands_ended();

}  // namespace wnpu::tests
