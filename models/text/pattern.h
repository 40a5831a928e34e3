// A pattern of PCRE2 on characters. Threads may share it.
#pragma once

#include <cstddef>
#include <memory>
#include <string_view>

struct pcre2_real_code_8;

namespace wnpu::models {

class Pattern {
 public:
  // Throws ModelError for what is no pattern.
  explicit Pattern(std::string_view pattern);

  // End of the match that begins at byte `start` of valid UTF-8; npos if there is none. The text is
  // checked where `start` is 0: ModelError.
  std::size_t end_of_match(std::string_view utf8, std::size_t start) const;
  // Whether the text begins with a match.
  bool begins(std::string_view utf8) const {
    return end_of_match(utf8, 0) != std::string_view::npos;
  }

 private:
  struct FreeCode {
    void operator()(pcre2_real_code_8* code) const;
  };
  std::unique_ptr<pcre2_real_code_8, FreeCode> code_;
};

}  // namespace wnpu::models
