#include "app/stream/agreement.h"

#include <vector>

#include <doctest/doctest.h>

namespace {

using namespace wnpu;       // NOLINT
using namespace wnpu::app;  // NOLINT

std::vector<Word> words(std::vector<std::string> texts) {
  std::vector<Word> all;
  for (std::string& text : texts) all.push_back({std::move(text), 0, 0, 1});
  return all;
}

}  // namespace

TEST_CASE("agreement: capitals and marks around a word are no difference, those within are") {
  CHECK(is_same_word(" Ask", " ask,"));
  CHECK(is_same_word(" \"Ask\"", " ask"));
  CHECK(is_same_word(" don't", " Don't."));
  CHECK(is_same_word(" über", " über."));
  CHECK(is_same_word("脚", "脚。"));
  CHECK_FALSE(is_same_word(" dont", " don't"));
  CHECK_FALSE(is_same_word(" a", " an"));
  CHECK(is_same_word(",", ","));
  CHECK_FALSE(is_same_word(",", "."));
  CHECK_FALSE(is_same_word("", " a"));
}

TEST_CASE("agreement: it ends at the first word on which two hypotheses differ") {
  CHECK(n_agreed(words({}), words({" a"})) == 0);
  CHECK(n_agreed(words({" a", " b", " c"}), words({" a", " b"})) == 2);
  CHECK(n_agreed(words({" a", " x", " c"}), words({" A", " b", " c"})) == 1);
}

TEST_CASE(
    "agreement: marks between the words are no difference, and none is agreed behind the last") {
  CHECK(n_agreed(words({",", " a", " b"}), words({" a", " b"})) == 2);
  CHECK(n_agreed(words({" a", " b"}), words({",", " a", "-", " b", "-"})) == 4);
  CHECK(n_agreed(words({","}), words({","})) == 0);
}

TEST_CASE("agreement: marks that close a sentence or a part of one are left open") {
  CHECK(without_closing_marks(" Ask not!") == " Ask not");
  CHECK(without_closing_marks("脚。…") == "脚");
  CHECK(without_closing_marks(" (so)") == " (so)");
  CHECK(without_closing_marks("?!").empty());
  std::vector<Word> all = words({".", ",", "!so.", " on"});
  drop_closing_marks_before(all);
  REQUIRE(all.size() == 2);
  CHECK(all[0].text == "so.");
  all = words({" ...", "."});
  drop_closing_marks_before(all);
  CHECK(all.size() == 2);
}

TEST_CASE("agreement: what others end with is found at the beginning, the longest") {
  CHECK(n_repeated(words({}), words({" a"})) == 0);
  CHECK(n_repeated(words({" a", " b"}), words({})) == 0);
  CHECK(n_repeated(words({" a", " b"}), words({" B,", " c"})) == 1);
  CHECK(n_repeated(words({" a", " b"}), words({" a", " b", " c"})) == 2);
  CHECK(n_repeated(words({" a", " b"}), words({" a", " c"})) == 0);
  CHECK(n_repeated(words({" a", " b", " c", " d"}), words({" a", " b", " c", " d"})) == 0);
  CHECK(n_repeated(words({" a", " a", " a", " a"}), words({" a", " a", " a", " a"})) == 3);
}

TEST_CASE("agreement: sentences end with a mark") {
  CHECK(ends_sentence(" so."));
  CHECK(ends_sentence("何？"));
  CHECK_FALSE(ends_sentence(" so,"));
  CHECK_FALSE(ends_sentence(""));
}
