#include "models/base/open_files.h"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

namespace wnpu::models {

void check_can_open_files(const std::string& name) {
  const int probe = ::open("/", O_RDONLY | O_CLOEXEC);
  if (probe < 0 && (errno == EMFILE || errno == ENFILE)) {
    throw std::system_error(errno, std::generic_category(), name);
  }
  if (probe >= 0) ::close(probe);
}

}  // namespace wnpu::models
