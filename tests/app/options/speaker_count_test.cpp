#include "app/options/speaker_count.h"

#include <string_view>

#include <doctest/doctest.h>

#include "app/options/exit_code.h"

using namespace wnpu;

TEST_CASE("speaker count: auto, a number, or the least and the most") {
  const auto check = [](std::string_view text, int min, int max) {
    const audio::SpeakerCount count = app::speaker_count_of(text);
    CHECK(count.min == min);
    CHECK(count.max == max);
  };
  check("auto", 1, audio::SpeakerCount{}.max);
  check("1", 1, 1);
  check("3", 3, 3);
  check("2-4", 2, 4);
  check("2-2", 2, 2);
}

TEST_CASE("speaker count: anything else is refused with what was found") {
  for (const std::string_view text : {"", "0", "-", "-2", "2-", "4-2", "21", "1-21", "two", "2-3-4",
                                      "2.0", "99999999999999999999", " 2", "+2", "AUTO"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(app::speaker_count_of(text), app::UsageError);
  }
  CHECK_THROWS_WITH(app::speaker_count_of("4-2"),
                    "--speakers: expected auto, a number from 1 to 20, or two such as 2-4, found "
                    "\"4-2\"");
}
