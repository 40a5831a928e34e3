// The matching of a given text with what was heard: against a plain search, and what random
// deletions, insertions and swaps do to it.
#include "app/engine/align/text_match.h"

#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/align/align_plan.h"
#include "app/engine/windows/kept_windows.h"

using namespace wnpu;  // NOLINT
using app::Atom;

namespace {

using Pairs = std::vector<std::pair<std::size_t, std::size_t>>;

constexpr std::uint32_t kWeight = 12;

std::vector<Atom> random_atoms(std::mt19937& random, std::size_t n, std::uint32_t n_keys) {
  std::vector<Atom> atoms;
  for (std::size_t i = 0; i < n; ++i)
    atoms.push_back({static_cast<std::uint32_t>(random() % n_keys), kWeight, i});
  return atoms;
}

void check_matches(const Pairs& pairs, const std::vector<Atom>& a, const std::vector<Atom>& b) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    REQUIRE(pairs[i].first < a.size());
    REQUIRE(pairs[i].second < b.size());
    CHECK(a[pairs[i].first].key == b[pairs[i].second].key);
    if (i == 0) continue;
    CHECK(pairs[i].first > pairs[i - 1].first);
    CHECK(pairs[i].second > pairs[i - 1].second);
  }
}

std::vector<app::GivenWord> given_of(const std::vector<std::string>& keys) {
  std::vector<app::GivenWord> words;
  for (const auto& key : keys) {
    auto& word = words.emplace_back();
    word.key = key;
    word.pieces.push_back({" " + key, {1}});
  }
  return words;
}

// Half a second a word.
std::vector<app::HeardWord> heard_of(const std::vector<std::string>& keys) {
  std::vector<app::HeardWord> words;
  for (const auto& key : keys) {
    const double start = 0.5 * static_cast<double>(words.size());
    words.push_back({" " + key, key, start, start + 0.5});
  }
  return words;
}

std::vector<std::string> random_words(std::mt19937& random, std::size_t n) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < n; ++i) {
    std::string& word = words.emplace_back();
    for (int j = 0; j < 7; ++j) word += static_cast<char>('a' + random() % 26);
  }
  return words;
}

// Every given and every heard word once, in order, and times that do not go back.
void check_cover(const std::vector<app::Part>& parts, std::size_t n_given, std::size_t n_heard) {
  std::size_t given = 0;
  std::size_t heard = 0;
  double time = 0;
  for (const app::Part& part : parts) {
    CHECK(part.given.first == given);
    CHECK(part.heard.first == heard);
    given = part.given.end;
    heard = part.heard.end;
    CHECK(part.start >= time - 1e-9);
    CHECK(part.end >= part.start);
    time = part.start;
  }
  CHECK(given == n_given);
  CHECK(heard == n_heard);
}

std::size_t n_anchors(const std::vector<app::Part>& parts) {
  return static_cast<std::size_t>(std::ranges::count(parts, true, &app::Part::is_anchor));
}

}  // namespace

TEST_CASE("align: equal texts match word by word; nothing matches nothing") {
  std::mt19937 random(1);
  const auto a = random_atoms(random, 500, 40);
  const Pairs pairs = app::match_atoms(a, a);
  CHECK(pairs.size() == a.size());
  check_matches(pairs, a, a);
  CHECK(app::match_atoms(a, {}).empty());
  CHECK(app::match_atoms({}, a).empty());
}

TEST_CASE("align: matches are of equal words and keep the order, whatever the texts") {
  std::mt19937 random(2);
  for (int i = 0; i < 50; ++i) {
    const auto a = random_atoms(random, random() % 60, 8);
    const auto b = random_atoms(random, random() % 60, 8);
    check_matches(app::match_atoms(a, b), a, b);
  }
}

TEST_CASE("align: a text too long for one table is matched all the same") {
  std::mt19937 random(3);
  const auto a = random_atoms(random, 9000, 100000);
  std::vector<Atom> b = a;
  b.erase(b.begin() + 3000, b.begin() + 3400);
  const auto more = random_atoms(random, 300, 100000);
  b.insert(b.begin() + 6000, more.begin(), more.end());
  const Pairs pairs = app::match_atoms(a, b);
  check_matches(pairs, a, b);
  CHECK(pairs.size() >= a.size() - 400);
  CHECK(pairs.size() <= a.size() - 390);
}

TEST_CASE("align: a short word alone among others is no match") {
  const std::vector<Atom> a = {
      {1, kWeight, 0}, {2, kWeight, 1}, {3, 6, 2}, {4, kWeight, 3}, {9, kWeight, 4}};
  const std::vector<Atom> b = {
      {1, kWeight, 0}, {5, kWeight, 1}, {3, 6, 2}, {6, kWeight, 3}, {9, kWeight, 4}};
  CHECK(app::match_atoms(a, b) == Pairs{{0, 0}, {4, 4}});
}

TEST_CASE("align: words that were not said, or are not in the text, are found") {
  std::mt19937 random(4);
  for (int i = 0; i < 30; ++i) {
    const auto said = random_words(random, 100);
    auto text = said;
    const std::size_t at = random() % 80;
    text.erase(text.begin() + static_cast<long>(at), text.begin() + static_cast<long>(at + 9));
    auto parts = app::aligned_parts(given_of(text), heard_of(said), false, 50);
    check_cover(parts, text.size(), said.size());
    CHECK(n_anchors(parts) == text.size());
    for (const auto& part : parts) CHECK((part.is_anchor || part.is_extra));

    parts = app::aligned_parts(given_of(said), heard_of(text), false, 50);
    check_cover(parts, said.size(), text.size());
    CHECK(n_anchors(parts) == text.size());
    for (const auto& part : parts) CHECK((part.is_anchor || part.heard.size() == 0));
  }
}

TEST_CASE("align: of two stretches that changed places one is found") {
  std::mt19937 random(5);
  const auto said = random_words(random, 60);
  auto text = said;
  std::rotate(text.begin() + 20, text.begin() + 30, text.begin() + 40);
  const auto parts = app::aligned_parts(given_of(text), heard_of(said), false, 30);
  check_cover(parts, text.size(), said.size());
  CHECK(n_anchors(parts) == 50);
}

TEST_CASE("align: words that were nearly heard divide what differs") {
  const auto parts =
      app::aligned_parts(given_of({"before", "colour", "1999", "behind"}),
                         heard_of({"before", "color", "nineteen", "ninety", "behind"}), false, 5);
  check_cover(parts, 4, 5);
  CHECK(n_anchors(parts) == 3);
  CHECK(parts[2].given.size() == 1);
  CHECK(parts[2].heard.size() == 2);
}

TEST_CASE("align: windows hold 30 s and all parts") {
  std::mt19937 random(6);
  const auto said = random_words(random, 400);
  const auto given = given_of(said);
  const auto parts = app::aligned_parts(given, heard_of(said), false, 200);
  std::size_t next = 0;
  while (next < parts.size()) {
    const app::PartWindow window = app::window_at(next, parts, given, 443, {});
    CHECK(window.first <= next);
    CHECK(window.kept_end > next);
    CHECK(window.kept_end <= window.end);
    CHECK(parts[window.end - 1].end <= window.start + 30);
    next = window.kept_end;
  }
}

TEST_CASE("align: windows are those in which the words were heard, where these have them whole") {
  std::mt19937 random(7);
  const auto said = random_words(random, 200);  // 100 s
  const auto given = given_of(said);
  const auto parts = app::aligned_parts(given, heard_of(said), false, 100);
  // The third begins after silence; nothing was heard from 70 s on.
  const std::vector<app::HeardStretch> heard = {{0, 28, 30}, {28, 50, 58}, {60, 70, 70}};
  std::vector<app::PartWindow> windows;
  for (std::size_t next = 0; next < parts.size(); next = windows.back().kept_end)
    windows.push_back(app::window_at(next, parts, given, 443, heard));
  REQUIRE(windows.size() >= 4);
  CHECK(windows[0].start == 0);
  CHECK(windows[0].kept_end == 56);
  CHECK(windows[0].sound_end == doctest::Approx(28.1));
  CHECK(windows[1].start == 28);
  CHECK(windows[1].first == 56);
  CHECK(windows[1].kept_end == 100);
  CHECK(windows[2].start < 50);  // with words before it
  CHECK(windows[2].first < 100);
  CHECK(windows[2].kept_end == 120);
  CHECK(windows[3].start == 60);
  // Too many tokens: the rest is in a window of its own.
  const app::PartWindow few = app::window_at(0, parts, given, 20, heard);
  CHECK(few.end == 20);
  CHECK(app::window_at(few.kept_end, parts, given, 20, heard).start > 5);
}

TEST_CASE("align: keys are letters and digits in lower case") {
  CHECK(app::match_key(" \"Don't,") == "dont");
  CHECK(app::match_key("ＡＢ１") == "ab1");
  CHECK(app::match_key("Ärger") == "ärger");
  CHECK(app::match_key("—").empty());
}

TEST_CASE("align: states of windows that were heard come back in fp16, as long as there is room") {
  const auto states_of = [](float value) {
    models::EncoderStates states{models::Matrix(4, 8), {2, 6}};
    std::ranges::fill(states.values.flat(), value);
    return states;
  };
  constexpr std::size_t kBytes = 4 * 8 * 2;
  app::KeptWindows kept(2 * kBytes);
  kept.keep(0, 3000, states_of(1.5F));
  kept.keep(3000, 2000, states_of(1e6F));  // above fp16
  kept.keep(6000, 3000, states_of(-2));
  kept.keep(9000, 10, states_of(3));  // no room
  CHECK(kept.windows().size() == 4);
  CHECK(kept.windows().at(3000).size == 2000);
  models::EncoderStates found;
  REQUIRE(kept.take(0, found));
  CHECK(found.values.rows() == 4);
  CHECK(found.values.cols() == 8);
  CHECK(found.pooled == models::PooledPadding{2, 6});
  CHECK(std::ranges::count(found.values.flat(), 1.5F) == 32);
  CHECK_FALSE(kept.take(0, found));  // it is taken
  CHECK_FALSE(kept.take(3000, found));
  CHECK_FALSE(kept.take(9000, found));
  CHECK_FALSE(kept.take(1, found));
  kept.keep(9000, 10, states_of(3));  // in the room of the first
  REQUIRE(kept.take(9000, found));
  CHECK(found.values.flat()[5] == 3);
}
