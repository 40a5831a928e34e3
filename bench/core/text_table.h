// A table for people: columns lined up, numbers to the right.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

namespace wnpu::bench {

class TextTable {
 public:
  explicit TextTable(std::vector<std::string> header);

  // As many cells as the header has.
  void add(std::vector<std::string> row);
  // The header, a rule, the rows, each line with its end. A column whose cells all begin with a
  // digit, a sign or nothing stands to the right.
  std::string text() const;

 private:
  std::vector<std::vector<std::string>> rows_;  // the header first
};

// The text without white space around it; where it is longer than n bytes its beginning, whole
// characters of UTF-8, and " ...".
std::string first_characters(const std::string& text, std::size_t n);
// With so many digits after the point.
std::string fixed(double value, int digits);
// "1.23 s", "12.3 ms", "45.6 us": three figures.
std::string human_seconds(double seconds);
// "123 MB" of 10^6 bytes, "1.23 GB".
std::string human_bytes(double bytes);
// "12.3 %"
std::string percent(double share);

}  // namespace wnpu::bench
