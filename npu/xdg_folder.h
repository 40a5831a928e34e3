// Folders of a user's own data (XDG Base Directory Specification).
#pragma once

#include <filesystem>

namespace wnpu::npu {

// Home folder in Debian of users that have none; it does not exist.
inline constexpr const char* kNoHome = "/nonexistent";

// The folder that the environment variable names (XDG_CACHE_HOME), or `below_home` (".cache") in
// the user's home: HOME's, else the password database's, else kNoHome. An empty or relative
// variable counts as unset: what is found must not depend on the working directory.
std::filesystem::path xdg_folder(const char* variable, const std::filesystem::path& below_home);

}  // namespace wnpu::npu
