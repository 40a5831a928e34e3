// Where a user's own data lies (XDG Base Directory Specification).
#pragma once

#include <filesystem>

namespace wnpu::npu {

// What Debian calls the home of users that have none: no such folder is there.
inline constexpr const char* kNoHome = "/nonexistent";

// The folder that the environment variable names (XDG_CACHE_HOME), or `below_home` (".cache") in
// the user's home: HOME's, else the password database's, else kNoHome. An empty or relative
// variable counts as unset: what is found must not depend on the working directory.
std::filesystem::path xdg_folder(const char* variable, const std::filesystem::path& below_home);

}  // namespace wnpu::npu
