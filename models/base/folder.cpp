#include "models/base/folder.h"

#include <cerrno>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace wnpu::models {
namespace fs = std::filesystem;

fs::path join(const fs::path& folder, std::string_view name) {
  if (folder.empty() || name.starts_with('/')) return std::string(name);
  std::string path = folder.native();
  if (!path.ends_with('/')) path += '/';
  return path += name;
}

std::vector<std::string> names_in(const fs::path& folder, std::error_code& error,
                                  std::size_t most) {
  std::vector<std::string> names;
  const auto close = [](DIR* open) { ::closedir(open); };
  const std::unique_ptr<DIR, decltype(close)> entries(::opendir(folder.c_str()), close);
  error.assign(entries ? 0 : errno, std::generic_category());
  while (entries && names.size() < most) {
    errno = 0;
    const dirent* const entry = ::readdir(entries.get());
    if (entry == nullptr) {
      error.assign(errno, std::generic_category());
      break;
    }
    const std::string_view name(static_cast<const char*>(entry->d_name));
    if (name != "." && name != "..") names.emplace_back(name);
  }
  return names;
}

void check_can_open_files(const std::string& name) {
  const int probe = ::open("/", O_RDONLY | O_CLOEXEC);
  if (probe < 0 && (errno == EMFILE || errno == ENFILE)) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  if (probe >= 0) ::close(probe);
}

}  // namespace wnpu::models
