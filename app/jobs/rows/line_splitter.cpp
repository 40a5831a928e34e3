#include "app/jobs/rows/line_splitter.h"

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

}  // namespace wnpu::app
