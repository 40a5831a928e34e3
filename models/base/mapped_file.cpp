#include "models/base/mapped_file.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <mutex>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "models/base/error.h"
#include "models/base/folder.h"

namespace wnpu::models {
namespace {

// Closes a descriptor at the end of its scope; a mapping outlives the descriptor it came from.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void fail_mapping(const std::filesystem::path& path, const std::string& found) {
  throw ModelError(path.string() + ": expected a readable file, found " + found);
}

// Table entry that mapped_file_at reads: at a fixed place, since a signal handler may neither lock
// nor allocate. It is free while `begin` is null, which is written last and taken back first.
struct MappedRange {
  std::atomic<const std::byte*> begin = nullptr;
  std::atomic<std::size_t> size = 0;
  std::array<char, 1024> path = {};
};
static_assert(std::atomic<const std::byte*>::is_always_lock_free);

// More than a model has files. Files beyond stay without a place, and so without a name.
std::array<MappedRange, 64> mapped_ranges;
std::mutex mapped_ranges_mutex;  // of who enters and leaves

void enter(std::span<const std::byte> bytes, const std::string& path) {
  const std::scoped_lock lock(mapped_ranges_mutex);
  const auto free = std::ranges::find(mapped_ranges, nullptr,
                                      [](const MappedRange& range) { return range.begin.load(); });
  if (free == mapped_ranges.end()) return;
  free->path.fill('\0');
  path.copy(free->path.data(), free->path.size() - 1);
  free->size = bytes.size();
  free->begin = bytes.data();
}

void leave(std::span<const std::byte> bytes) {
  const std::scoped_lock lock(mapped_ranges_mutex);
  for (MappedRange& range : mapped_ranges) {
    if (range.begin == bytes.data()) range.begin = nullptr;
  }
}

std::span<const std::byte> map(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; regular files do not care.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) {
    const int error = errno;
    check_can_open_files(path.string());
    fail_mapping(path, std::strerror(error));
  }
  struct stat status = {};
  if (fstat(file.fd, &status) != 0) fail_mapping(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail_mapping(path, "a directory");
  if (!S_ISREG(status.st_mode)) fail_mapping(path, "a device, pipe or socket");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (start == MAP_FAILED && errno == ENOMEM) {
    throw MemoryError(path.string() + ": no memory to map " + std::to_string(size) + " bytes");
  }
  if (start == MAP_FAILED) fail_mapping(path, std::strerror(errno));
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(start), size);
  enter(bytes, path.string());
  return bytes;
}

void unmap(std::span<const std::byte> bytes) {
  if (bytes.empty()) return;
  leave(bytes);
  // munmap takes a mutable pointer for history's sake; it cannot fail for a range that mmap gave.
  munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
}

}  // namespace

MappedFile::MappedFile(const std::filesystem::path& path) : bytes_(map(path)) {}

MappedFile::MappedFile(MappedFile&& other) noexcept : bytes_(std::exchange(other.bytes_, {})) {}

MappedFile& MappedFile::operator=(MappedFile&& other) noexcept {
  if (this != &other) {
    unmap(bytes_);
    bytes_ = std::exchange(other.bytes_, {});
  }
  return *this;
}

MappedFile::~MappedFile() { unmap(bytes_); }

const char* mapped_file_at(const void* address) noexcept {
  const auto at = reinterpret_cast<std::uintptr_t>(address);
  for (const MappedRange& range : mapped_ranges) {
    const std::byte* const begin = range.begin;
    if (begin == nullptr) continue;
    const auto first = reinterpret_cast<std::uintptr_t>(begin);
    if (at >= first && at - first < range.size) return range.path.data();
  }
  return nullptr;
}

void release_pages(std::span<const std::byte> part) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(part.data());
  const std::size_t skipped = (page - start % page) % page;
  if (part.size() < skipped + page) return;
  const std::size_t whole = (part.size() - skipped) / page * page;
  // A mutable pointer for history's sake, as above. It can fail only for an address of no mapping.
  madvise(const_cast<std::byte*>(part.data() + skipped), whole, MADV_DONTNEED);
}

void populate_pages(std::span<const std::byte> part) {
#ifdef MADV_POPULATE_READ
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const std::size_t before = reinterpret_cast<std::uintptr_t>(part.data()) % page;
  if (part.empty()) return;
  // Failure is harmless: the pages then come as they are touched.
  madvise(const_cast<std::byte*>(part.data() - before), part.size() + before, MADV_POPULATE_READ);
#else
  (void)part;
#endif
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wnpu::models
