#include "models/base/utf8.h"

#include <string>

#include <doctest/doctest.h>

using namespace wnpu::models;  // NOLINT: the names under test

// Expected values are those of Python 3.11's bytes.decode("utf-8", errors="replace").
TEST_CASE("repair_utf8: leaves well-formed text alone") {
  const std::string text = "caf\xC3\xA9 \xE6\x97\xA5\xE6\x9C\xAC \xF0\x9F\x98\x80";
  CHECK(repair_utf8(text) == text);
}

TEST_CASE("repair_utf8: one U+FFFD for each maximal ill-formed part") {
  const std::string bad = "\xEF\xBF\xBD";
  CHECK(repair_utf8("a\xFFz") == "a" + bad + "z");
  CHECK(repair_utf8("\xE6\x97") == bad);                            // cut character
  CHECK(repair_utf8("\xF0\x9F\x98") == bad);                        // cut emoji
  CHECK(repair_utf8("\xE6z") == bad + "z");                         // lead byte, then ASCII
  CHECK(repair_utf8("\xC0\xAF") == bad + bad);                      // overlong
  CHECK(repair_utf8("\xED\xA0\x80") == bad + bad + bad);            // surrogate
  CHECK(repair_utf8("\xF4\x90\x80\x80") == bad + bad + bad + bad);  // beyond U+10FFFF
  CHECK(repair_utf8("\x80\xE6\x97\xA5") == bad + "\xE6\x97\xA5");
}

TEST_CASE("utf8: stripping follows Python") {
  CHECK(strip("\u3000 \x1c\u00a0a\u2003b\u0085\n") == "a\u2003b");
  CHECK(strip("\u200b x") == "\u200b x");  // zero width space is no space to Python
  CHECK(strip(" \t\n").empty());
  CHECK(count_characters("日本 😀") == 4);
  CHECK(first_characters("日本語", 2) == "日本");
  CHECK(replace_all("a-->b-->", "-->", "->") == "a->b->");
}
