// Buffers of the stand-in for the driver.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <new>
#include <sys/mman.h>
#include <unistd.h>

#include "tests/xdna_mock/mock_device.h"
#include "tests/xdna_mock/mock_hooks.h"
#include "tests/xdna_mock/mock_settings.h"

namespace wnpu::tests {
namespace {

constexpr std::uint64_t kHeapBase = 0x4000000;      // amdxdna: AIE2_DEVM_BASE
constexpr std::uint64_t kHeapMax = 512ULL << 20;    // and its size
constexpr std::uint64_t kAddressBase = 1ULL << 44;  // of all outside the heap: no host pointer
constexpr std::uint64_t kUserAddressBase = 1ULL << 45;
constexpr std::size_t kPage = 4096;
constexpr std::size_t kHeapUnit = 32768;  // the driver's allocation unit in the heap
constexpr std::uint8_t kPoison = 0xcd;    // device memory that was never written

std::size_t rounded_up(std::size_t bytes, std::size_t unit) {
  return (bytes + unit - 1) / unit * unit;
}

}  // namespace

MockBuffer::~MockBuffer() {
  if (owns_mapping) ::munmap(host, bytes);
}

MockDevice::MockDevice(int file)
    : file_(file), file_end_(kHeapMax), next_user_address_(kUserAddressBase) {
  if (::ftruncate(file_, static_cast<off_t>(kHeapMax)) != 0) throw std::bad_alloc();
  heap_ = map(0, kHeapMax);
  if (heap_ == nullptr) throw std::bad_alloc();
}

MockDevice::~MockDevice() { ::munmap(heap_, kHeapMax); }

std::uint8_t* MockDevice::map(std::uint64_t offset, std::size_t bytes) const {
  void* memory = real_mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_NORESERVE,
                           file_, static_cast<off_t>(offset));
  return memory == MAP_FAILED ? nullptr : static_cast<std::uint8_t*>(memory);
}

void MockDevice::place_user_memory(MockBuffer& buffer, const amdxdna_drm_create_bo& request) {
  const auto& table = *reinterpret_cast<const amdxdna_drm_va_tbl*>(request.vaddr);
  buffer.host = reinterpret_cast<std::uint8_t*>(table.va_entries[0].vaddr);
  buffer.bytes = table.va_entries[0].len;
  buffer.address = next_user_address_;
  next_user_address_ += rounded_up(buffer.bytes, kPage) + kPage;
}

int MockDevice::place_in_heap(MockBuffer& buffer) {
  const std::size_t bytes = rounded_up(buffer.bytes, kHeapUnit);
  if (heap_bytes_ == 0) return EINVAL;
  // EAGAIN asks the user-mode driver for one more piece of heap.
  if (heap_used_ + bytes > heap_bytes_) return heap_used_ + bytes > kHeapMax ? ENOMEM : EAGAIN;
  buffer.address = kHeapBase + heap_used_;
  buffer.host = heap_ + heap_used_;
  heap_used_ += bytes;
  return 0;
}

int MockDevice::place_in_file(MockBuffer& buffer) {
  if (buffer.type == AMDXDNA_BO_DEV_HEAP) {  // further pieces of heap extend the first
    if (buffer.bytes > kHeapMax - heap_bytes_) return ENOMEM;
    buffer.map_offset = heap_bytes_;
    buffer.host = heap_ + heap_bytes_;
    buffer.address = kHeapBase + heap_bytes_;
    heap_bytes_ += buffer.bytes;
    return 0;
  }
  // A page between buffers: device addresses never run from one into the next.
  buffer.map_offset = file_end_;
  file_end_ += buffer.bytes + kPage;
  if (::ftruncate(file_, static_cast<off_t>(file_end_)) != 0) return ENOMEM;
  buffer.host = map(buffer.map_offset, buffer.bytes);
  if (buffer.host == nullptr) return ENOMEM;
  buffer.owns_mapping = true;
  buffer.address = kAddressBase + buffer.map_offset;
  return 0;
}

int MockDevice::create_buffer(amdxdna_drm_create_bo& request) {
  const std::lock_guard lock(mutex_);
  auto buffer = std::make_shared<MockBuffer>();
  buffer->type = request.type;
  buffer->bytes = rounded_up(request.size, kPage);
  int error = 0;
  if (request.vaddr != 0) {
    if (reinterpret_cast<const amdxdna_drm_va_tbl*>(request.vaddr)->num_entries != 1) return EINVAL;
    place_user_memory(*buffer, request);
  } else {
    error = request.type == AMDXDNA_BO_DEV ? place_in_heap(*buffer) : place_in_file(*buffer);
  }
  if (error != 0) return error;
  const bool is_data = request.type == AMDXDNA_BO_SHARE || request.type == AMDXDNA_BO_DEV;
  if (is_data && is_set("SHADOW")) buffer->shadow.assign(buffer->bytes, kPoison);
  request.handle = next_buffer_++;
  buffers_[request.handle] = std::move(buffer);
  return 0;
}

MockDevice::Buffer MockDevice::buffer(std::uint32_t handle) {
  const auto found = buffers_.find(handle);
  return found == buffers_.end() ? nullptr : found->second;
}

int MockDevice::buffer_info(amdxdna_drm_get_bo_info& request) {
  const std::lock_guard lock(mutex_);
  const Buffer found = buffer(request.handle);
  if (found == nullptr) return ENOENT;
  request.map_offset = found->map_offset;
  request.vaddr = AMDXDNA_INVALID_ADDR;
  request.xdna_addr = found->address;
  return 0;
}

int MockDevice::close_buffer(std::uint32_t handle) {
  const std::lock_guard lock(mutex_);
  const Buffer closed = buffer(handle);
  if (closed == nullptr) return EINVAL;
  if (closed->type == AMDXDNA_BO_DEV_HEAP) heap_bytes_ -= closed->bytes;
  if (closed->owns_mapping) {  // gives the pages back
    ::fallocate(file_, FALLOC_FL_PUNCH_HOLE | FALLOC_FL_KEEP_SIZE,
                static_cast<off_t>(closed->map_offset), static_cast<off_t>(closed->bytes));
  }
  buffers_.erase(handle);
  // The simplest allocator that survives a long test: the heap starts anew when it is empty.
  const bool heap_in_use = std::any_of(buffers_.begin(), buffers_.end(), [](const auto& entry) {
    return entry.second->type == AMDXDNA_BO_DEV;
  });
  if (!heap_in_use) heap_used_ = 0;
  return 0;
}

int MockDevice::sync_buffer(const amdxdna_drm_sync_bo& request) {
  const std::lock_guard lock(mutex_);
  const Buffer synced = buffer(request.handle);
  if (synced == nullptr) return ENOENT;
  if (request.offset > synced->bytes || request.size > synced->bytes - request.offset) {
    return EINVAL;
  }
  if (synced->shadow.empty()) return 0;
  std::uint8_t* device = synced->shadow.data() + request.offset;
  std::uint8_t* host = synced->host + request.offset;
  if (request.direction == SYNC_DIRECT_TO_DEVICE) {
    std::memcpy(device, host, request.size);
  } else {
    std::memcpy(host, device, request.size);
  }
  return 0;
}

std::span<std::byte> MockDevice::device_memory(std::uint64_t address) {
  const std::lock_guard lock(mutex_);
  Buffer best;
  for (const auto& [handle, candidate] : buffers_) {
    const bool holds =
        address >= candidate->address && address - candidate->address < candidate->bytes;
    // A piece of the heap lies inside the heap's own buffer.
    if (holds && (best == nullptr || candidate->type == AMDXDNA_BO_DEV)) best = candidate;
  }
  if (best == nullptr) return {};
  const std::uint64_t offset = address - best->address;
  return {reinterpret_cast<std::byte*>(best->device_memory() + offset), best->bytes - offset};
}

std::size_t MockDevice::n_buffers() const {
  const std::lock_guard lock(mutex_);
  return buffers_.size();
}

}  // namespace wnpu::tests
