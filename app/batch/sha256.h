#pragma once

#include <filesystem>
#include <functional>
#include <string>

namespace wnpu::app {

// SHA-256 of the file's bytes in lower-case hex; empty where it is no regular file or cannot be
// read to its end, or `should_stop`, where given, says so meanwhile.
std::string sha256_of_file(const std::filesystem::path& path,
                           const std::function<bool()>& should_stop = {});

}  // namespace wnpu::app
