#include "bench/core/text_table.h"

#include <doctest/doctest.h>

using namespace wnpu::bench;

TEST_CASE("text table: numbers stand to the right, words to the left, characters count once") {
  TextTable table({"name", "time"});
  table.add({"Grüße", "1.5 s"});
  table.add({"x", "12.5 s"});
  CHECK(table.text() ==
        "name     time\n"
        "-----  ------\n"
        "Grüße   1.5 s\n"
        "x      12.5 s\n");
  TextTable wide({"name"});
  wide.add({"会議\x1b[2J\n"});
  CHECK(wide.text() == "name\n---------\n会議?[2J?\n");
}

TEST_CASE("text table: times and sizes have three figures and the unit that fits") {
  CHECK(human_seconds(12.345) == "12.3 s");
  CHECK(human_seconds(0.2345) == "234 ms");
  CHECK(human_seconds(0.0012345) == "1.23 ms");
  CHECK(human_seconds(4.5e-5) == "45.0 us");
  CHECK(human_bytes(123456789) == "123 MB");
  CHECK(human_bytes(1.5e9) == "1.50 GB");
  CHECK(percent(0.1234) == "12.3 %");
}

TEST_CASE("text table: a text that is cut keeps whole characters") {
  CHECK(first_characters(" short ", 10) == "short");
  CHECK(first_characters("Grüße", 3) == "Gr ...");
  CHECK(first_characters("", 3).empty());
  CHECK(first_characters("  ", 3).empty());
}
