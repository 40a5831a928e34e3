// Folders and paths, in place of two parts of std::filesystem that GCC 12's library does not bring
// through a failed allocation: path's operator/ frees what it never had, directory_iterator ends
// the process without a word.
#pragma once

#include <filesystem>
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

}  // namespace wnpu::models
