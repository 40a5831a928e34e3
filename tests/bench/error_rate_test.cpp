#include "bench/input/error_rate.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wnpu::bench;

TEST_CASE("error_rate: counts each kind of error") {
  CHECK(count_word_errors("a b c", "a b c") == ErrorCounts{0, 0, 0, 3});
  CHECK(count_word_errors("a b c", "a x c") == ErrorCounts{1, 0, 0, 3});
  CHECK(count_word_errors("a b c", "a c") == ErrorCounts{0, 1, 0, 3});
  CHECK(count_word_errors("a b c", "a b x c") == ErrorCounts{0, 0, 1, 3});
  CHECK(count_word_errors("a b c d", "x b d e f") == ErrorCounts{1, 1, 2, 4});
}

TEST_CASE("error_rate: an empty reference counts insertions, an empty hypothesis deletions") {
  CHECK(count_word_errors("", "a b") == ErrorCounts{0, 0, 2, 0});
  CHECK(count_word_errors("", "a b").rate() == 2.0);
  CHECK(count_word_errors("a b", " ") == ErrorCounts{0, 2, 0, 2});
  CHECK(count_word_errors("", "").rate() == 0.0);
}

TEST_CASE("error_rate: of equally short alignments takes the one with most correct words") {
  // Two substitutions, or one deletion and one insertion around the correct b.
  CHECK(count_word_errors("a b", "b c") == ErrorCounts{0, 1, 1, 2});
}

TEST_CASE("error_rate: white space at the ends and repeated does not count") {
  CHECK(count_word_errors("  a   b ", "a b").errors() == 0);
  CHECK(count_character_errors("  a   b ", "a b") == ErrorCounts{0, 0, 0, 3});
}

TEST_CASE("error_rate: characters are code points, not bytes") {
  CHECK(count_character_errors("äöü", "aöü") == ErrorCounts{1, 0, 0, 3});
  CHECK(count_character_errors("日本語", "日本") == ErrorCounts{0, 1, 0, 3});
}

TEST_CASE("error_rate: agrees with trying every alignment of short random texts") {
  struct Search {
    static std::size_t distance(const std::string& a, const std::string& b) {
      if (a.empty() || b.empty()) {
        return a.size() + b.size();
      }
      const std::size_t kept = distance(a.substr(1), b.substr(1)) + (a[0] == b[0] ? 0 : 1);
      return std::min({kept, distance(a.substr(1), b) + 1, distance(a, b.substr(1)) + 1});
    }
  };
  std::mt19937 random(7);
  const auto text = [&random] {
    std::string result(random() % 6, 'a');
    for (char& c : result) {
      c = static_cast<char>('a' + random() % 3);
    }
    return result;
  };
  for (int i = 0; i < 200; ++i) {
    const std::string reference = text();
    const std::string hypothesis = text();
    CAPTURE(reference);
    CAPTURE(hypothesis);
    const ErrorCounts counts = count_character_errors(reference, hypothesis);
    CHECK(counts.errors() == Search::distance(reference, hypothesis));
    CHECK(counts.reference + counts.insertions == hypothesis.size() + counts.deletions);
  }
}

TEST_CASE("error_rate: the total weighs files by their words") {
  const std::vector<ErrorCounts> files = {{1, 0, 0, 10}, {0, 5, 4, 90}};
  CHECK(total(files) == ErrorCounts{1, 5, 4, 100});
  CHECK(total(files).rate() == doctest::Approx(0.1));
}

TEST_CASE(
    "error_rate: the bootstrap interval encloses the rate and is the same for the same seed") {
  std::vector<ErrorCounts> files;
  for (std::size_t i = 0; i < 50; ++i) {
    files.push_back({i % 4, 0, 0, 10});
  }
  const Interval interval = bootstrap_interval(files, 1);
  const double rate = total(files).rate();
  CHECK(interval.low < rate);
  CHECK(interval.high > rate);
  // Standard error of the mean of 50 files: 0.112 / sqrt(50) = 0.016; 1.96 of it on each side.
  CHECK(interval.low == doctest::Approx(rate - 0.031).epsilon(0.05));
  CHECK(interval.high == doctest::Approx(rate + 0.031).epsilon(0.05));
  CHECK(bootstrap_interval(files, 1).low == interval.low);
  CHECK(bootstrap_interval(std::vector<ErrorCounts>(3, {2, 0, 0, 10})).low == 0.2);
}
