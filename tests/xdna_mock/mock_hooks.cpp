// The libc calls by which XRT finds, opens, maps and commands a device. This library is preloaded:
// what does not concern the fake device goes on to libc (or to a sanitizer) unchanged.
#include "tests/xdna_mock/mock_hooks.h"

#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <dirent.h>
#include <dlfcn.h>
#include <fcntl.h>
#include <map>
#include <mutex>
#include <new>
#include <string>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/xdna_mock/fake_sysfs.h"
#include "tests/xdna_mock/mock_device.h"
#include "tests/xdna_mock/mock_settings.h"

namespace wnpu::tests {
namespace {

// The next definition of `name` after ours.
template <typename Function>
Function* next(const char* name) {
  return reinterpret_cast<Function*>(::dlsym(RTLD_NEXT, name));
}

// Never destroyed: a program may leave a command in flight and exit.
struct OpenDevices {
  std::mutex mutex;
  std::map<int, std::shared_ptr<MockDevice>> by_file;
};
OpenDevices& open_devices() {
  static auto& all = *new OpenDevices;
  return all;
}
// Most calls of a process concern no device: they should not take the lock.
std::atomic<int> n_open{0};

std::shared_ptr<MockDevice> device_of(int file) {
  if (n_open == 0) return nullptr;
  const std::lock_guard lock(open_devices().mutex);
  const auto found = open_devices().by_file.find(file);
  return found == open_devices().by_file.end() ? nullptr : found->second;
}

int real_close(int file) {
  static auto* const function = next<int(int)>("close");
  return function(file);
}

int open_device() {
  const int injected = injected_failure("open");
  if (injected != 0) {
    errno = injected;
    return -1;
  }
  const int file = ::memfd_create("xdna-mock", MFD_CLOEXEC);
  if (file < 0) return file;
  try {
    auto device = std::make_shared<MockDevice>(file);
    const std::lock_guard lock(open_devices().mutex);
    open_devices().by_file[file] = std::move(device);
    ++n_open;
  } catch (const std::bad_alloc&) {
    real_close(file);
    errno = ENOMEM;
    return -1;
  }
  trace("open: file " + std::to_string(file));
  return file;
}

// True where `file` was a device.
bool close_device(int file) {
  const std::shared_ptr<MockDevice> device = device_of(file);
  if (device == nullptr) return false;
  {
    const std::lock_guard lock(open_devices().mutex);
    open_devices().by_file.erase(file);
    --n_open;
  }
  device->stop_all();
  if (device->n_buffers() != 0) {
    std::fprintf(stderr, "xdna-mock: closed with %zu buffer(s) open\n", device->n_buffers());
  }
  return true;
}

bool is_node(const char* path) { return path != nullptr && std::strcmp(path, kNode) == 0; }

using Open = int(const char*, int, ...);

int open_path(const char* name, const char* path, int flags, mode_t mode) {
  if (is_node(path)) return open_device();
  return next<Open>(name)(Redirected(path).path(), flags, mode);
}

// open()'s third argument is there only if a file may be made.
bool has_mode(int flags) { return (flags & (O_CREAT | O_TMPFILE)) != 0; }

}  // namespace

void* real_mmap(void* address, std::size_t bytes, int protection, int flags, int file,
                off_t offset) {
  static auto* const function = next<void*(void*, std::size_t, int, int, int, off_t)>("mmap");
  return function(address, bytes, protection, flags, file, offset);
}

}  // namespace wnpu::tests

using wnpu::tests::next;
using wnpu::tests::Redirected;

unsigned long xdna_mock_count(const char* what) {
  const std::string name = what;
  if (name == "commands") return wnpu::tests::n_commands_ended();
  auto& all = wnpu::tests::open_devices();
  const std::lock_guard lock(all.mutex);
  if (name == "devices") return all.by_file.size();
  unsigned long n = 0;
  for (const auto& [file, device] : all.by_file) {
    n += name == "buffers" ? device->n_buffers() : device->n_contexts();
  }
  return n;
}

extern "C" {

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = wnpu::tests::has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return wnpu::tests::open_path("open", path, flags, mode);
}

int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = wnpu::tests::has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return wnpu::tests::open_path("open64", path, flags, mode);
}

int __open_2(const char* path, int flags) { return wnpu::tests::open_path("open", path, flags, 0); }

int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = wnpu::tests::has_mode(flags) ? va_arg(rest, mode_t) : 0;
  va_end(rest);
  return next<int(int, const char*, int, ...)>("openat")(folder, Redirected(path).path(), flags,
                                                         mode);
}

FILE* fopen(const char* path, const char* mode) {
  return next<FILE*(const char*, const char*)>("fopen")(Redirected(path).path(), mode);
}

FILE* fopen64(const char* path, const char* mode) {
  return next<FILE*(const char*, const char*)>("fopen64")(Redirected(path).path(), mode);
}

DIR* opendir(const char* path) {
  return next<DIR*(const char*)>("opendir")(Redirected(path).path());
}

int stat(const char* path, struct stat* result) {
  return next<int(const char*, struct stat*)>("stat")(Redirected(path).path(), result);
}

int lstat(const char* path, struct stat* result) {
  return next<int(const char*, struct stat*)>("lstat")(Redirected(path).path(), result);
}

int access(const char* path, int mode) {
  return next<int(const char*, int)>("access")(Redirected(path).path(), mode);
}

ssize_t readlink(const char* path, char* text, size_t bytes) {
  return next<ssize_t(const char*, char*, size_t)>("readlink")(Redirected(path).path(), text,
                                                               bytes);
}

char* realpath(const char* path, char* resolved) {
  // By version: dlsym would find the oldest, which takes no null buffer.
  using RealPath = char*(const char*, char*);
  static auto* const function =
      reinterpret_cast<RealPath*>(::dlvsym(RTLD_NEXT, "realpath", "GLIBC_2.3"));
  const Redirected redirected(path);
  char* result = function(redirected.path(), resolved);
  if (result == nullptr || !redirected.is_ours()) return result;
  const std::string& root = wnpu::tests::fake_root();
  if (std::strncmp(result, root.c_str(), root.size()) == 0) {
    std::memmove(result, result + root.size(), std::strlen(result) - root.size() + 1);
  }
  return result;
}

int close(int file) {
  wnpu::tests::close_device(file);
  return wnpu::tests::real_close(file);
}

void* mmap(void* address, size_t bytes, int protection, int flags, int file, off_t offset) {
  using namespace wnpu::tests;
  if (file >= 0 && device_of(file) != nullptr) {
    const int injected = injected_failure("mmap");
    if (injected != 0) {
      errno = injected;
      return MAP_FAILED;
    }
    if (!is_set("LOCKED")) flags &= ~MAP_LOCKED;
  }
  return real_mmap(address, bytes, protection, flags, file, offset);
}

int ioctl(int file, unsigned long request, ...) {
  va_list rest;
  va_start(rest, request);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  const auto device = wnpu::tests::device_of(file);
  if (device == nullptr) {
    static auto* const function = next<int(int, unsigned long, ...)>("ioctl");
    return function(file, request, argument);
  }
  const int error = wnpu::tests::serve(*device, request, argument);
  if (error == 0) return 0;
  errno = error;
  return -1;
}

}  // extern "C"
