// Folders, paths and files to be written; in place of two parts of std::filesystem that GCC 12's
// library does not bring through a failed allocation: path's operator/ frees what it never had,
// directory_iterator ends the process without a word.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace wnpu::models {

// `name` below `folder`; `name` itself where it is absolute or there is no folder.
std::filesystem::path join(const std::filesystem::path& folder, std::string_view name);

// The names of at most `most` things in a folder, in no order, without "." and "..". None, and
// `error` says why, where it cannot be read.
std::vector<std::string> names_in(const std::filesystem::path& folder, std::error_code& error,
                                  std::size_t most = static_cast<std::size_t>(-1));

// To be asked where something could not be opened: throws std::system_error, whose what() begins
// with `name`, where nothing can be.
void check_can_open_files(const std::string& name);

using Sink = std::function<void(std::string_view)>;

// A file that is written piece by piece, for what is too large to be held in memory.
struct StreamedFile {
  std::string name;
  std::function<void(const Sink&)> write;  // all of it, once
  bool is_executable = false;
};

}  // namespace wnpu::models
