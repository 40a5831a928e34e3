// Bytes that come piece by piece -> lines.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace wnpu::app {

struct Line {
  std::size_t number = 0;    // from 1, empty lines counted
  std::string_view text;     // without its end
  bool is_too_long = false;  // its text is not kept
};

class LineSplitter {
 public:
  using Take = std::function<void(const Line&)>;

  // longest: bytes of a line; longer lines are reported without their text.
  explicit LineSplitter(std::size_t longest) : longest_(longest) {}

  // Hands over each line that is whole now.
  void add(std::string_view bytes, const Take& take);
  // At the end: a last line without an end is one too, if anything is in it.
  void end(const Take& take);

 private:
  void keep(std::string_view bytes);
  void hand_over(const Take& take);

  std::size_t longest_;
  std::size_t number_ = 1;
  std::string text_;
  bool is_too_long_ = false;
};

// Lines of a file or pipe to its end, each as soon as it is whole. Throws UsageError, with `name`,
// where it cannot be read.
void read_lines(int descriptor, const std::string& name, std::size_t longest,
                const LineSplitter::Take& take);

}  // namespace wnpu::app
