#pragma once

#include <filesystem>
#include <string>

namespace wnpu::app {

// SHA-256 of the file's bytes in lower-case hex; empty where it is no regular file or cannot be
// read to its end.
std::string sha256_of_file(const std::filesystem::path& path);

}  // namespace wnpu::app
