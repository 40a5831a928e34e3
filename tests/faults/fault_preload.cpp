// A preloaded library that makes one system call fail: the n-th of its kind after main began. For
// tests/faults/run_faults.py; no part of the program.
//
//   LD_PRELOAD=libfault_preload.so FAULT=read:7 whisper-npu transcribe ...   the 7th read fails
//   FAULT=read:0 FAULT_COUNTS=FILE ...                                       nothing fails
//
// With FAULT_COUNTS the calls of each kind are written there when the process ends, a line a kind,
// and then "site NUMBER" for the first and second call of FAULT's kind from each place: a loop's
// calls are alike. A place is the stack of return addresses above the call. Kinds: alloc, open,
// read, write, fsync, rename (links too), mmap, thread. Writes to stderr are not counted: a program
// that cannot say what is wrong has no way to say so. Allocations of the C library and of libraries
// count too, for all of them meet the same memory, but not while a library is loaded.
#include <array>
#include <atomic>
#include <cerrno>
#include <cstdarg>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <execinfo.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <sys/types.h>
#include <unistd.h>

extern "C" {
// glibc's own names for its allocator: what our malloc passes on to.
void* __libc_malloc(size_t size);                      // NOLINT
void* __libc_calloc(size_t count, size_t size);        // NOLINT
void* __libc_realloc(void* memory, size_t size);       // NOLINT
void* __libc_memalign(size_t alignment, size_t size);  // NOLINT
}

namespace {

enum Kind { kAlloc, kOpen, kRead, kWrite, kFsync, kRename, kMmap, kThread, kKinds };
constexpr std::array<const char*, kKinds> kNames{"alloc", "open",   "read", "write",
                                                 "fsync", "rename", "mmap", "thread"};

std::array<std::atomic<long>, kKinds> counts{};
std::atomic<bool> is_counting{false};
int failing_kind = -1;
long failing_number = 0;

// Numbers of calls that were the first or second from their place, and how often each place (its
// hash) was seen, in a table with open addressing. One thread at a time.
constexpr size_t kPlaces = 1 << 17;
std::array<unsigned long, kPlaces> places{};
std::array<unsigned char, kPlaces> seen{};
std::array<long, 2 * kPlaces> sites{};
size_t n_sites = 0;
std::atomic_flag table_is_taken = ATOMIC_FLAG_INIT;
thread_local bool is_inside = false;  // backtrace may allocate

void note_place(long number) {
  if (is_inside) return;
  is_inside = true;
  std::array<void*, 24> stack{};
  const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
  unsigned long hash = 14695981039346656037UL;
  for (int i = 0; i < depth; ++i) {
    hash =
        (hash ^ reinterpret_cast<unsigned long>(stack[static_cast<size_t>(i)])) * 1099511628211UL;
  }
  while (table_is_taken.test_and_set()) {
  }
  size_t slot = hash % kPlaces;
  while (seen[slot] != 0 && places[slot] != hash) slot = (slot + 1) % kPlaces;
  places[slot] = hash;
  if (seen[slot] < 2) {
    ++seen[slot];
    sites[n_sites++] = number;
  }
  table_is_taken.clear();
  is_inside = false;
}

// A library is being loaded. Its constructors are no part of the program, and those below FFmpeg's
// end the process where memory lacks, or wait for ever (GLib's): nobody can catch that.
thread_local bool is_loading = false;

// Counts this call; whether it is the one that fails.
bool fails(Kind kind) {
  if (!is_counting.load(std::memory_order_relaxed) || is_inside) return false;
  if (kind == kAlloc && is_loading) return false;
  const long number = ++counts[kind];
  if (kind != failing_kind) return false;
  if (failing_number == 0) note_place(number);
  return number == failing_number;
}

// The library's function of that name, which ours stands before.
template <typename Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

void read_settings() {
  const char* fault = getenv("FAULT");
  if (fault == nullptr) return;
  const char* colon = strchr(fault, ':');
  if (colon == nullptr) return;
  for (int kind = 0; kind < kKinds; ++kind) {
    const size_t length = strlen(kNames[static_cast<size_t>(kind)]);
    if (static_cast<size_t>(colon - fault) == length &&
        strncmp(fault, kNames[static_cast<size_t>(kind)], length) == 0) {
      failing_kind = kind;
    }
  }
  failing_number = atol(colon + 1);
}

void write_counts() {
  is_counting = false;
  const char* path = getenv("FAULT_COUNTS");
  if (path == nullptr) return;
  FILE* file = next<FILE* (*)(const char*, const char*)>("fopen")(path, "w");
  if (file == nullptr) return;
  for (size_t kind = 0; kind < kKinds; ++kind) {
    fprintf(file, "%s %ld\n", kNames[kind], counts[kind].load());
  }
  for (size_t i = 0; i < n_sites; ++i) fprintf(file, "site %ld\n", sites[i]);
  fclose(file);
}

using Main = int (*)(int, char**, char**);
Main real_main = nullptr;

int counted_main(int argc, char** argv, char** environment) {
  read_settings();
  atexit(write_counts);
  is_counting = true;
  return real_main(argc, argv, environment);
}

// Says on stderr which library asked, where it was none of the C and C++ libraries: run_faults.py
// knows those that cannot bear it.
void name_library() {
  is_inside = true;
  std::array<void*, 12> stack{};
  const int depth = backtrace(stack.data(), static_cast<int>(stack.size()));
  for (int i = 1; i < depth; ++i) {
    Dl_info found{};
    if (dladdr(stack[static_cast<size_t>(i)], &found) == 0 || found.dli_fname == nullptr) break;
    const char* const name = found.dli_fname;
    const bool is_skipped = strstr(name, "fault_preload") != nullptr ||
                            strstr(name, "/libc.so") != nullptr ||
                            strstr(name, "/libstdc++.so") != nullptr;
    if (is_skipped) continue;
    if (strstr(name, ".so") != nullptr) dprintf(STDERR_FILENO, "fault: in %s\n", name);
    break;
  }
  is_inside = false;
}

void* no_memory() {
  name_library();
  errno = ENOMEM;
  return nullptr;
}

int refused(int error) {
  errno = error;
  return -1;
}

}  // namespace

extern "C" {

int __libc_start_main(Main main, int argc, char** argv, void (*init)(), void (*fini)(),  // NOLINT
                      void (*rtld_fini)(), void* stack_end) {
  real_main = main;
  using Start = int (*)(Main, int, char**, void (*)(), void (*)(), void (*)(), void*);
  return next<Start>("__libc_start_main")(counted_main, argc, argv, init, fini, rtld_fini,
                                          stack_end);
}

void* dlopen(const char* path, int flags) noexcept {
  is_loading = true;
  void* const handle = next<void* (*)(const char*, int)>("dlopen")(path, flags);
  is_loading = false;
  return handle;
}

void* malloc(size_t size) noexcept { return fails(kAlloc) ? no_memory() : __libc_malloc(size); }
void* calloc(size_t count, size_t size) noexcept {
  return fails(kAlloc) ? no_memory() : __libc_calloc(count, size);
}
void* realloc(void* memory, size_t size) noexcept {
  return fails(kAlloc) ? no_memory() : __libc_realloc(memory, size);
}
void* memalign(size_t alignment, size_t size) noexcept {
  return fails(kAlloc) ? no_memory() : __libc_memalign(alignment, size);
}
void* aligned_alloc(size_t alignment, size_t size) noexcept { return memalign(alignment, size); }
int posix_memalign(void** memory, size_t alignment, size_t size) noexcept {
  *memory = memalign(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (fails(kOpen)) return refused(EMFILE);
  return next<int (*)(const char*, int, ...)>("open")(path, flags, mode);
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (fails(kOpen)) return refused(EMFILE);
  return next<int (*)(const char*, int, ...)>("open64")(path, flags, mode);
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = va_arg(rest, mode_t);
  va_end(rest);
  if (fails(kOpen)) return refused(EMFILE);
  return next<int (*)(int, const char*, int, ...)>("openat")(folder, path, flags, mode);
}
FILE* fopen(const char* path, const char* mode) {
  if (fails(kOpen)) {
    errno = EMFILE;
    return nullptr;
  }
  return next<FILE* (*)(const char*, const char*)>("fopen")(path, mode);
}
FILE* fopen64(const char* path, const char* mode) {
  if (fails(kOpen)) {
    errno = EMFILE;
    return nullptr;
  }
  return next<FILE* (*)(const char*, const char*)>("fopen64")(path, mode);
}

ssize_t read(int file, void* bytes, size_t count) {
  if (fails(kRead)) return refused(EIO);
  return next<ssize_t (*)(int, void*, size_t)>("read")(file, bytes, count);
}
ssize_t pread64(int file, void* bytes, size_t count, off_t offset) {
  if (fails(kRead)) return refused(EIO);
  return next<ssize_t (*)(int, void*, size_t, off_t)>("pread64")(file, bytes, count, offset);
}
ssize_t pread(int file, void* bytes, size_t count, off_t offset) {
  return pread64(file, bytes, count, offset);
}

ssize_t write(int file, const void* bytes, size_t count) {
  if (file != STDERR_FILENO && fails(kWrite)) return refused(ENOSPC);
  return next<ssize_t (*)(int, const void*, size_t)>("write")(file, bytes, count);
}

int fsync(int file) {
  if (fails(kFsync)) return refused(EIO);
  return next<int (*)(int)>("fsync")(file);
}

int rename(const char* from, const char* to) noexcept {
  if (fails(kRename)) return refused(EIO);
  return next<int (*)(const char*, const char*)>("rename")(from, to);
}

int renameat2(int from_folder, const char* from, int to_folder, const char* to,
              unsigned int flags) noexcept {
  if (fails(kRename)) return refused(EIO);
  return next<int (*)(int, const char*, int, const char*, unsigned int)>("renameat2")(
      from_folder, from, to_folder, to, flags);
}
int linkat(int from_folder, const char* from, int to_folder, const char* to, int flags) noexcept {
  if (fails(kRename)) return refused(EIO);
  return next<int (*)(int, const char*, int, const char*, int)>("linkat")(from_folder, from,
                                                                          to_folder, to, flags);
}

void* mmap(void* address, size_t length, int protection, int flags, int file,
           off_t offset) noexcept {
  if (fails(kMmap)) {
    errno = ENOMEM;
    return MAP_FAILED;
  }
  return next<void* (*)(void*, size_t, int, int, int, off_t)>("mmap")(address, length, protection,
                                                                      flags, file, offset);
}
void* mmap64(void* address, size_t length, int protection, int flags, int file,
             off_t offset) noexcept {
  return mmap(address, length, protection, flags, file, offset);
}

int pthread_create(pthread_t* thread, const pthread_attr_t* attributes, void* (*start)(void*),
                   void* argument) noexcept {
  if (fails(kThread)) return EAGAIN;
  return next<int (*)(pthread_t*, const pthread_attr_t*, void* (*)(void*), void*)>(
      "pthread_create")(thread, attributes, start, argument);
}

}  // extern "C"
