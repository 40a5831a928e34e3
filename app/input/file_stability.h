// Whether somebody still writes to a file, as the kernel knows it.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>

namespace wnpu::app {

// One state of a file: another file under its name, and new contents, give another.
struct FileState {
  std::uint64_t device = 0;
  std::uint64_t number = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;

  bool operator==(const FileState&) const = default;
};

enum class FileStability {
  gone,     // not there, or no regular file
  empty,    // nothing was written yet
  written,  // somebody has it open for writing
  whole,    // nobody has
  unknown   // the kernel does not say: another user's file, a file system over the network
};

// Follows links. Opens the file for a moment, and reads nothing of it.
FileStability wholeness_of(const std::string& path);
// All zero where it is not there.
FileState state_of(const std::string& path);

// A file that was found, until it is taken.
class PendingFile {
 public:
  using Clock = std::chrono::steady_clock;
  // Time without a change after which a file is whole, if the kernel does not say whether it is
  // written.
  static constexpr std::chrono::milliseconds kQuiet{3000};

  explicit PendingFile(std::string path) : path_(std::move(path)) {}

  const std::string& path() const { return path_; }
  // Something happened to it: the next look is now.
  void wake() { next_look_ = {}; }
  // Looks at most once a second unless it is woken; `unknown` becomes whole after kQuiet.
  FileStability look(Clock::time_point now);

 private:
  std::string path_;
  FileStability last_ = FileStability::written;
  Clock::time_point next_look_;
  FileState state_;
  Clock::time_point unchanged_since_;
};

}  // namespace wnpu::app
