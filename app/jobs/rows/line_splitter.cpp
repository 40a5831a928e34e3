#include "app/jobs/rows/line_splitter.h"

#include <cerrno>
#include <cstring>
#include <unistd.h>
#include <vector>

#include "app/options/exit_code.h"

namespace wnpu::app {

void LineSplitter::add(std::string_view bytes, const Take& take) {
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\n');
    keep(bytes.substr(0, end));
    if (end == std::string_view::npos) return;
    hand_over(take);
    bytes.remove_prefix(end + 1);
  }
}

void LineSplitter::end(const Take& take) {
  if (!text_.empty() || is_too_long_) hand_over(take);
}

void LineSplitter::keep(std::string_view bytes) {
  if (is_too_long_) return;
  if (bytes.size() > longest_ - text_.size()) {
    is_too_long_ = true;
    text_ = {};
    return;
  }
  text_ += bytes;
}

void LineSplitter::hand_over(const Take& take) {
  const Line line{number_++, text_, is_too_long_};
  take(line);
  text_.clear();
  is_too_long_ = false;
}

void read_lines(int descriptor, const std::string& name, std::size_t longest,
                const LineSplitter::Take& take) {
  LineSplitter lines(longest);
  std::vector<char> bytes(std::size_t{1} << 16U);
  while (true) {
    const ssize_t size = ::read(descriptor, bytes.data(), bytes.size());
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) throw UsageError(name + ": read: " + std::strerror(errno));
    if (size == 0) return lines.end(take);
    lines.add({bytes.data(), static_cast<std::size_t>(size)}, take);
  }
}

}  // namespace wnpu::app
