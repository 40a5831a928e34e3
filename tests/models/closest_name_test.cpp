// Suggestions for a misspelt name.
#include "models/base/closest_name.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

using namespace wnpu::models;

namespace {

const std::vector<std::string> kNames = {"--beam-size", "--best-of", "--batch-size", "--language",
                                         "--word-timestamps"};

std::string random_word(std::mt19937& random, std::size_t longest) {
  std::string word(random() % (longest + 1), 'a');
  for (char& letter : word) letter = static_cast<char>('a' + random() % 3);
  return word;
}

// As the definition has it, without a table.
std::size_t slow_typos(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.size() + b.size();
  const std::string rest_a = a.substr(1);
  const std::string rest_b = b.substr(1);
  std::size_t n = slow_typos(rest_a, rest_b) + (a[0] == b[0] ? 0 : 1);
  n = std::min(n, slow_typos(rest_a, b) + 1);
  n = std::min(n, slow_typos(a, rest_b) + 1);
  if (a.size() > 1 && b.size() > 1 && a[0] == b[1] && a[1] == b[0]) {
    n = std::min(n, slow_typos(a.substr(2), b.substr(2)) + 1);
  }
  return n;
}

}  // namespace

TEST_CASE("closest name: typos are counted as the definition says") {
  std::mt19937 random(1);
  for (int i = 0; i < 2000; ++i) {
    const std::string a = random_word(random, 6);
    const std::string b = random_word(random, 6);
    CAPTURE(a);
    CAPTURE(b);
    CHECK(n_typos(a, b) == slow_typos(a, b));
    CHECK(n_typos(a, b) == n_typos(b, a));
  }
}

TEST_CASE("closest name: one typo anywhere in a long name is understood") {
  for (const std::string& name : kNames) {
    for (std::size_t i = 2; i < name.size(); ++i) {
      std::string word = name;
      word.erase(i, 1);
      CHECK(closest_name(word, kNames) == name);
      word = name;
      word.insert(i, "x");
      CHECK(closest_name(word, kNames) == name);
      word = name;
      word[i] = 'x';
      CHECK(closest_name(word, kNames) == name);
    }
  }
}

TEST_CASE("closest name: another word is no typo") {
  for (const char* word : {"", "x", "--x", "--temperature", "transcribe"}) {
    CHECK(closest_name(word, kNames).empty());
    CHECK(suggestion(word, kNames).empty());
  }
  CHECK(suggestion("--langauge", kNames) == "; did you mean --language?");
  CHECK(closest_name("tiny", std::vector<std::string>{}).empty());
}
