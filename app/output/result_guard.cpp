#include "app/output/result_guard.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>
#include <sys/stat.h>
#include <unistd.h>

#include "app/engine/model_path.h"
#include "app/input/input_folders.h"
#include "app/options/exit_code.h"
#include "app/system/output_file.h"
#include "audio/read/error.h"
#include "audio/read/pcm_reader.h"
#include "models/base/folder.h"
#include "models/base/utf8.h"
#include "models/files/open_model.h"

namespace wnpu::app {
namespace {

namespace fs = std::filesystem;

using Status = struct stat;

[[noreturn]] void refuse(const fs::path& path, const std::string& found) {
  throw OneOutputError(path.string() + ": expected a place for a result, found " + found);
}

// A file, or a descriptor's; empty: none can be had, and errno says why.
std::optional<Status> status_of(const fs::path& path, std::optional<int> descriptor) {
  Status status{};
  const int result = descriptor ? ::fstat(*descriptor, &status) : ::stat(path.c_str(), &status);
  return result == 0 ? std::optional(status) : std::nullopt;
}

// UTF-8 without a zero byte, as results are; no recording begins so.
bool begins_as_text(const fs::path& path) {
  std::array<char, 4096> bytes = {};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(file.gcount()));
  // Its last character may be cut.
  constexpr std::size_t kLongestCharacter = 4;
  const std::size_t n_whole = begin.size() - std::min(begin.size(), kLongestCharacter - 1);
  const std::string repaired = models::repair_utf8(begin);
  return begin.find('\0') == std::string_view::npos &&
         repaired.compare(0, n_whole, begin, 0, n_whole) == 0;
}

// Description of audio at `path`, which no result replaces; "": it is no audio.
std::string audio_in(const fs::path& path) {
  try {
    audio::open_pcm(audio::Input{path, {}});
    return "audio";
  } catch (const audio::MissingLibrary& error) {
    if (begins_as_text(path)) return {};
    return "what may be audio (" + std::string(error.what()) + ")";
  } catch (const audio::AudioError&) {
    return {};
  }
}

// Description of a model's file, which no result replaces; "": it is none. Recognised by its
// beginning, or by its name beside weights.
std::string model_in(const fs::path& file, Replaceable replaceable) {
  const std::string_view format = models::format_of_beginning(file);
  if (replaceable == Replaceable::packed_models && format == models::kPacked) return {};
  if (!format.empty()) return "the weights of a model";
  std::error_code error;
  const fs::path real = fs::canonical(file, error);  // behind links, and of a descriptor
  const bool is_part = !error && is_model_file_name(real.filename().string()) &&
                       !weights_file(real.parent_path()).empty();
  return is_part ? "a file of the model in that folder" : "";
}

// Whether writing to the open descriptor changes what is in its file, and does not only add to it.
bool writes_into_file(int descriptor, const Status& status) {
  const bool appends = (::fcntl(descriptor, F_GETFL) & O_APPEND) != 0;
  return !appends && ::lseek(descriptor, 0, SEEK_CUR) < status.st_size;
}

void check_descriptor(const fs::path& path, int descriptor) {
  const int flags = ::fcntl(descriptor, F_GETFL);
  if (flags < 0) refuse(path, std::strerror(errno));
  if ((flags & O_ACCMODE) == O_RDONLY) refuse(path, "it open for reading alone");
}

void check_folder(const fs::path& path) {
  std::error_code error;
  const fs::path folder = fs::weakly_canonical(fs::absolute(path), error).parent_path();
  if (error) refuse(path, error.message());
  if (::access(folder.c_str(), W_OK | X_OK) != 0) {
    throw OutputError(folder.string() +
                      ": expected a folder that can be written to: " + std::strerror(errno));
  }
}

}  // namespace

ResultGuard::ResultGuard(std::span<const std::string> inputs, Replaceable replaceable)
    : replaceable_(replaceable) {
  for (const std::string& input : inputs) {
    const auto status = status_of(input, input == "-" ? std::optional(STDIN_FILENO) : std::nullopt);
    if (status && S_ISREG(status->st_mode)) inputs_.emplace(status->st_dev, status->st_ino);
  }
}

void ResultGuard::check_replaceable(const fs::path& path) const {
  const auto descriptor = path.empty() ? STDOUT_FILENO : descriptor_of(path);
  const auto status = status_of(path, descriptor);
  if (!status || !S_ISREG(status->st_mode)) return;
  const fs::path name = path.empty() ? fs::path("stdout") : path;
  if (inputs_.contains({status->st_dev, status->st_ino})) {
    throw UsageError(name.string() + ": would get a result, but it is an input");
  }
  if (descriptor && !writes_into_file(*descriptor, *status)) return;
  const fs::path file =
      descriptor ? fs::path("/proc/self/fd/" + std::to_string(*descriptor)) : path;
  const std::string audio = audio_in(file);
  if (!audio.empty()) refuse(name, audio + ", which no result replaces");
  const std::string model = model_in(file, replaceable_);
  if (!model.empty()) refuse(name, model + ", which no result replaces");
}

void ResultGuard::check(const fs::path& path) const {
  check_replaceable(path);
  if (path.empty()) return;
  if (const auto descriptor = descriptor_of(path)) return check_descriptor(path, *descriptor);
  const auto status = status_of(path, std::nullopt);
  if (!status && errno != ENOENT) refuse(path, std::strerror(errno));
  if (!status || S_ISREG(status->st_mode)) return check_folder(path);
  if (S_ISDIR(status->st_mode)) refuse(path, "a folder");
  if (S_ISBLK(status->st_mode)) refuse(path, "a disk");
  if (::access(path.c_str(), W_OK) != 0) refuse(path, std::strerror(errno));
}

void ResultGuard::check_again(const fs::path& path, bool is_new) const {
  std::error_code error;
  if (is_new && !descriptor_of(path) && fs::is_regular_file(path, error)) {
    throw NameTaken(path.string() + ": was not there before the work began, and is there now");
  }
  check_replaceable(path);
}

bool ResultGuard::is_replaceable(const fs::path& path) const {
  try {
    check_replaceable(path);
    return true;
  } catch (const std::runtime_error&) {
    return false;
  }
}

bool ResultGuard::is_part(const fs::path& partial, const fs::path& input) const {
  const fs::path folder = input.has_parent_path() ? input.parent_path() : fs::path(".");
  const std::string stem = partial.stem();
  std::error_code error;
  for (const std::string& name : models::names_in(folder, error)) {
    const std::string other = fs::path(name).stem();
    if (other.find(".partial") == std::string::npos || !stem.ends_with(other)) continue;
    if (has_recording_name(name) || !is_replaceable(models::join(folder, name))) return false;
  }
  return is_replaceable(partial);
}

}  // namespace wnpu::app
