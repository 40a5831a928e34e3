#include "app/jobs/rows/line_splitter.h"

#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace wnpu::app;

struct Found {
  std::size_t number = 0;
  std::string text;
  bool is_too_long = false;
  bool operator==(const Found&) const = default;
};

std::vector<Found> split_lines(const std::vector<std::string>& pieces, std::size_t longest) {
  std::vector<Found> found;
  LineSplitter lines(longest);
  const auto take = [&](const Line& line) {
    found.push_back({line.number, std::string(line.text), line.is_too_long});
  };
  for (const std::string& piece : pieces) lines.add(piece, take);
  lines.end(take);
  return found;
}

// Reference implementation of the splitting into lines.
std::vector<Found> expected_lines(const std::string& bytes, std::size_t longest) {
  std::vector<Found> expected;
  std::size_t begin = 0;
  while (begin < bytes.size()) {
    const std::size_t end = std::min(bytes.find('\n', begin), bytes.size());
    const bool is_too_long = end - begin > longest;
    expected.push_back(
        {expected.size() + 1, is_too_long ? "" : bytes.substr(begin, end - begin), is_too_long});
    begin = end + 1;
  }
  return expected;
}

}  // namespace

TEST_CASE("lines: the same however the bytes are cut into pieces, and none is lost") {
  std::mt19937 random(1);
  for (int run = 0; run < 2000; ++run) {
    std::string bytes;
    for (std::size_t i = random() % 60; i > 0; --i) {
      bytes += random() % 4 == 0 ? '\n' : static_cast<char>(random() % 256);
    }
    std::vector<std::string> pieces;
    for (std::size_t at = 0; at < bytes.size();) {
      const std::size_t size = random() % 9;
      pieces.push_back(bytes.substr(at, size));
      at += size;
    }
    const std::size_t longest = 1 + random() % 12;
    REQUIRE(split_lines(pieces, longest) == expected_lines(bytes, longest));
  }
}

TEST_CASE("lines: one that is too long takes no memory") {
  LineSplitter lines(1000);
  std::size_t n_lines = 0;
  const auto take = [&](const Line& line) {
    CHECK(line.is_too_long);
    CHECK(line.text.empty());
    ++n_lines;
  };
  const std::string piece(1U << 20U, 'x');
  for (int i = 0; i < 100; ++i) lines.add(piece, take);
  CHECK(n_lines == 0);
  lines.add("\n", take);
  CHECK(n_lines == 1);
}
