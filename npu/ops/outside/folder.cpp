#include "npu/ops/outside/folder.h"

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <iterator>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

#include "npu/design/design.h"
#include "npu/emit/core_sources.h"
#include "npu/fnv1a.h"
#include "npu/ops/operator.h"
#include "npu/ops/outside/operator_headers.h"
#include "npu/xdg_folder.h"

extern "C" char** environ;  // POSIX: no header declares it

namespace wnpu::npu {
namespace fs = std::filesystem;
namespace {

constexpr const char* kSource = "operator.cpp";
constexpr const char* kLibrary = "operator.so";
constexpr const char* kCountingLibrary = "counting.so";  // made last
// As the tile kernels are compiled here: the instruction set of every x86-64, no fused operations.
const std::vector<std::string> kFlags = {
    "-std=c++20",        "-O2",   "-fPIC",      "-fvisibility=hidden",
    "-ffp-contract=off", "-Wall", "-Wno-psabi", "-DWNPU_TILE_BYTES=16"};
const std::vector<std::string> kPlain = {"-DWNPU_TILE_TARGET=outside"};
const std::vector<std::string> kCounting = {"-DWNPU_TILE_TARGET=outside_counting",
                                            "-DWNPU_TILE_COUNTS"};
constexpr std::string_view kCountsSource = R"(// What the tile kernel beside it has issued.
#include "npu/kernel/op_counts.h"
namespace wnpu::npu::kernel {
OpCounts& op_counts() {
  thread_local OpCounts counts;
  return counts;
}
}  // namespace wnpu::npu::kernel
extern "C" __attribute__((visibility("default"))) wnpu::npu::kernel::OpCounts*
whisper_npu_operator_counts() {
  return &wnpu::npu::kernel::op_counts();
}
)";

std::string compiler() {
  const char* const named = std::getenv("CXX");
  return named != nullptr && *named != '\0' ? named : "c++";
}

std::string text_in(const fs::path& file) {
  std::ifstream stream(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(stream), {}};
}

void write(const fs::path& file, std::string_view text) {
  std::ofstream stream(file, std::ios::binary);
  stream << text;
  stream.close();
  if (!stream) throw OperatorError(file.string() + ": cannot be written");
}

// Runs words[0], found in PATH, its stderr in `messages`; whether it says that all went well.
// Throws OperatorError where it cannot be started, which posix_spawnp() may leave to an exit status
// of 127 (POSIX).
bool succeeds(const std::vector<std::string>& words, const fs::path& messages) {
  std::vector<char*> arguments;
  arguments.reserve(words.size() + 1);
  for (const std::string& word : words) arguments.push_back(const_cast<char*>(word.c_str()));
  arguments.push_back(nullptr);
  posix_spawn_file_actions_t files;
  ::posix_spawn_file_actions_init(&files);
  ::posix_spawn_file_actions_addopen(&files, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  ::posix_spawn_file_actions_addopen(&files, STDERR_FILENO, messages.c_str(),
                                     O_WRONLY | O_CREAT | O_TRUNC, 0600);
  pid_t child = 0;
  int error = ::posix_spawnp(&child, arguments[0], &files, nullptr, arguments.data(), environ);
  ::posix_spawn_file_actions_destroy(&files);
  int status = 0;
  while (error == 0 && ::waitpid(child, &status, 0) < 0 && errno == EINTR) continue;
  if (WIFEXITED(status) && WEXITSTATUS(status) == 127) error = ENOENT;
  if (error != 0) {
    throw OperatorError(words[0] + ": no C++ compiler (set CXX): " + std::strerror(error));
  }
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

// A folder of its own that is gone at the end, whatever happened.
class Workshop {
 public:
  explicit Workshop(const fs::path& cache) {
    fs::create_directories(cache);
    std::string name = (cache / "new-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) {
      throw OperatorError(name + ": cannot be made: " + std::strerror(errno));
    }
    path_ = name;
  }
  ~Workshop() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  Workshop(const Workshop&) = delete;
  Workshop& operator=(const Workshop&) = delete;
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

class Build {
 public:
  Build(const fs::path& folder, const fs::path& workshop)
      : source_(fs::absolute(folder) / kSource), workshop_(workshop) {
    for (const CoreSource& header : operator_headers()) {
      const fs::path file = workshop_ / "include" / header.path;
      fs::create_directories(file.parent_path());
      write(file, header.text);
    }
    write(workshop_ / "counts.cpp", kCountsSource);
  }

  // The source with all that it includes, and what the compiler says of itself.
  std::uint64_t key() const {
    const fs::path all = workshop_ / "preprocessed";
    std::vector<std::string> words = command(kPlain);
    words.insert(words.end(), {"-E", "-P", "-dD", source_.string(), "-o", all.string()});
    compile(words);
    Fnv1a key;
    key.add_bytes(text_in(all));
    for (const auto* flags : {&kFlags, &kPlain, &kCounting}) {
      for (const std::string& flag : *flags) key.add_bytes(flag);
    }
    return key.add_bytes(compiler()).add_bytes(kCountsSource).value();
  }

  void make(const fs::path& to) const {
    std::vector<std::string> words = command(kPlain);
    words.insert(words.end(), {"-shared", source_.string(), "-o", (to / kLibrary).string()});
    compile(words);
    words = command(kCounting);
    words.insert(words.end(), {"-shared", source_.string(), (workshop_ / "counts.cpp").string(),
                               "-o", (to / kCountingLibrary).string()});
    compile(words);
  }

 private:
  std::vector<std::string> command(const std::vector<std::string>& more) const {
    std::vector<std::string> words{compiler()};
    words.insert(words.end(), kFlags.begin(), kFlags.end());
    words.insert(words.end(), more.begin(), more.end());
    words.push_back("-I" + (workshop_ / "include").string());
    words.push_back("-I" + (workshop_ / "include/npu/ops").string());
    return words;
  }

  void compile(const std::vector<std::string>& words) const {
    const fs::path messages = workshop_ / "messages";
    if (succeeds(words, messages)) return;
    throw OperatorError(source_.string() + ": " + compiler() + " refuses it:\n" +
                        text_in(messages));
  }

  fs::path source_;
  fs::path workshop_;
};

// The folder of what was compiled, which is made where it is missing.
fs::path compiled(const fs::path& folder, const fs::path& cache) {
  const Workshop workshop(cache);
  const Build build(folder, workshop.path());
  fs::path kept = cache / hash_text(build.key());
  if (fs::exists(kept / kCountingLibrary)) return kept;
  const fs::path made = workshop.path() / "made";
  fs::create_directories(made);
  build.make(made);
  std::error_code error;
  fs::rename(made, kept, error);  // fails where another process was first
  if (fs::exists(kept / kCountingLibrary)) return kept;
  throw OperatorError(kept.string() + ": cannot be made: " + error.message());
}

}  // namespace

CompiledOperator compile_operator(const fs::path& folder) {
  std::error_code error;
  if (!fs::exists(folder / kSource, error)) {
    throw OperatorError(folder.string() + ": expected " + kSource + " in it, found none");
  }
  try {
    const fs::path kept =
        compiled(folder, xdg_folder("XDG_CACHE_HOME", ".cache") / "whisper-npu" / "operators");
    return {kept / kLibrary, kept / kCountingLibrary};
  } catch (const fs::filesystem_error& failure) {
    throw OperatorError(folder.string() + ": " + failure.what());
  }
}

}  // namespace wnpu::npu
