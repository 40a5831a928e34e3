#include "models/mapped_file.h"

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <utility>

#include "models/error.h"

namespace wnpu::models {
namespace {

// Closes a descriptor at the end of its scope; a mapping outlives the descriptor it came from.
struct Descriptor {
  int fd = -1;
  ~Descriptor() {
    if (fd >= 0) close(fd);
  }
};

[[noreturn]] void fail(const std::filesystem::path& path, const std::string& found) {
  throw ModelError(path.string() + ": expected a readable file, found " + found);
}

std::span<const std::byte> map(const std::filesystem::path& path) {
  // O_NONBLOCK: opening a named pipe must not wait for a writer; regular files do not care.
  const Descriptor file{open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.fd < 0) fail(path, std::strerror(errno));
  struct stat status = {};
  if (fstat(file.fd, &status) != 0) fail(path, std::strerror(errno));
  if (S_ISDIR(status.st_mode)) fail(path, "a directory");
  if (!S_ISREG(status.st_mode)) fail(path, "a device, pipe or socket");
  const auto size = static_cast<std::size_t>(status.st_size);
  if (size == 0) return {};
  void* start = mmap(nullptr, size, PROT_READ, MAP_PRIVATE, file.fd, 0);
  if (start == MAP_FAILED) fail(path, std::strerror(errno));
  return {static_cast<const std::byte*>(start), size};
}

void unmap(std::span<const std::byte> bytes) {
  // munmap takes a mutable pointer for history's sake; it cannot fail for a range that mmap gave.
  if (!bytes.empty()) munmap(const_cast<std::byte*>(bytes.data()), bytes.size());
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

void release_pages(std::span<const std::byte> part) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto start = reinterpret_cast<std::uintptr_t>(part.data());
  const std::size_t skipped = (page - start % page) % page;
  if (part.size() < skipped + page) return;
  const std::size_t whole = (part.size() - skipped) / page * page;
  // A mutable pointer for history's sake, as above. It can fail only for an address of no mapping.
  madvise(const_cast<std::byte*>(part.data() + skipped), whole, MADV_DONTNEED);
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace wnpu::models
