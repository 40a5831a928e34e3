#include "npu/xdg_folder.h"

#include <array>
#include <cstdlib>
#include <pwd.h>
#include <unistd.h>

namespace wnpu::npu {
namespace fs = std::filesystem;
namespace {

fs::path absolute_or_none(const char* folder) {
  return folder != nullptr && fs::path(folder).is_absolute() ? fs::path(folder) : fs::path();
}

fs::path home_of_database() {
  std::array<char, 16384> strings{};
  passwd entry{};
  passwd* found = nullptr;
  const int error = ::getpwuid_r(::getuid(), &entry, strings.data(), strings.size(), &found);
  return error == 0 && found != nullptr ? absolute_or_none(found->pw_dir) : fs::path();
}

}  // namespace

fs::path xdg_folder(const char* variable, const fs::path& below_home) {
  fs::path named = absolute_or_none(std::getenv(variable));
  if (!named.empty()) return named;
  fs::path home = absolute_or_none(std::getenv("HOME"));
  if (home.empty()) home = home_of_database();
  if (home.empty()) home = kNoHome;
  return home.native() + "/" + below_home.native();
}

}  // namespace wnpu::npu
