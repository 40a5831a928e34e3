// Colours of text on stdout: which, and that nothing else of the text changes.
#include "app/formats/confidence_colors.h"

#include <array>
#include <cmath>
#include <random>
#include <regex>
#include <string>

#include <doctest/doctest.h>

#include "app/formats/writers.h"
#include "app/system/terminal.h"
#include "models/base/utf8.h"
#include "tests/few_samples.h"

namespace {

using namespace wnpu::app;
using wnpu::Segment;

std::string without_colors(const std::string& text) {
  return std::regex_replace(text, std::regex("\x1b\\[[0-9;]*m"), "");
}

std::string color(int index) { return "\x1b[38;5;" + std::to_string(index) + "m"; }
const std::string kColorEnd = "\x1b[0m";

// Words with and without spaces, marks and letters beyond ASCII, and the text that they are; some
// segments have another text than their words say.
Segment random_segment(std::mt19937& random) {
  const std::array<std::string, 9> pieces = {" a", " so", "x", " \xC3\xBC", "\xE6\x97\xA5",
                                             ".",  " ",   "",  "\xFF"};
  const auto draw = [&](std::size_t n) {
    return std::uniform_int_distribution<std::size_t>(0, n - 1)(random);
  };
  Segment segment;
  segment.avg_logprob = -std::uniform_real_distribution<double>(0, 3)(random);
  for (std::size_t i = draw(6); i > 0; --i) {
    wnpu::Word word;
    for (std::size_t j = draw(4); j > 0; --j) word.text += pieces[draw(pieces.size())];
    word.probability = std::uniform_real_distribution<double>(0, 1)(random);
    segment.text += word.text;
    segment.words.push_back(word);
  }
  if (draw(4) == 0) segment.text += pieces[draw(pieces.size())];
  segment.end = 1;
  return segment;
}

}  // namespace

TEST_CASE("colors: red by yellow to green, by the probability's cube") {
  CHECK(confidence_color(0) == 196);
  CHECK(confidence_color(1) == 82);
  CHECK(confidence_color(std::cbrt(0.55)) == 226);
  int before = 0;
  for (const double step : {196, 202, 208, 214, 220, 226, 190, 154, 118, 82}) {
    const int index = before++;
    CHECK(confidence_color(std::cbrt((index + 0.5) / 10)) == static_cast<int>(step));
  }
  CHECK(confidence_color(-1) == 196);
  CHECK(confidence_color(2) == 82);
  CHECK(confidence_color(std::nan("")) == 196);
}

TEST_CASE("colors: each word its own, the segment's where it has none or they are another text") {
  Segment segment;
  segment.text = " so it is";
  segment.avg_logprob = std::log(0.5);  // cube 0.125: the second step
  WriteOptions options;
  CHECK(text_line(segment, options, true) == color(202) + "so it is" + kColorEnd + "\n");
  segment.words = {{" so", 0, 1, 1.0}, {" it", 1, 2, 0.0}, {" is", 2, 3, 1.0}};
  const std::string words = color(82) + "so" + kColorEnd + " " + color(196) + "it" + kColorEnd +
                            " " + color(82) + "is" + kColorEnd + "\n";
  CHECK(text_line(segment, options, true) == words);
  options.text_timestamps = true;
  CHECK(text_line(segment, options, true) == "[00:00.000 --> 00:00.000]  " + words);
  segment.words.pop_back();
  CHECK(text_line(segment, options, true) ==
        "[00:00.000 --> 00:00.000]  " + color(202) + "so it is" + kColorEnd + "\n");
}

TEST_CASE("colors: without the codes every line is what it is without colours") {
  std::mt19937 random(25);
  for (std::size_t i = 0; i < 3000 / wnpu::tests::kSampleShare; ++i) {
    CAPTURE(i);
    const Segment segment = random_segment(random);
    for (const bool times : {false, true}) {
      WriteOptions options;
      options.text_timestamps = times;
      const std::string plain = text_line(segment, options);
      REQUIRE(without_colors(text_line(segment, options, true)) == plain);
    }
  }
}

TEST_CASE("colors: asked for on the command line, by variables, or by a terminal") {
  const ColorVariables xterm = {.term = "xterm-256color"};
  CHECK(wants_colors(Color::automatic, true, xterm));
  CHECK_FALSE(wants_colors(Color::automatic, false, xterm));
  CHECK_FALSE(wants_colors(Color::automatic, true, {.term = "dumb"}));
  CHECK_FALSE(wants_colors(Color::automatic, true, {}));
  CHECK_FALSE(wants_colors(Color::automatic, true, {.term = "xterm", .no_color = "0"}));
  CHECK(wants_colors(Color::automatic, true, {.term = "xterm", .no_color = ""}));
  CHECK(wants_colors(Color::automatic, false, {.clicolor_force = "1"}));
  CHECK_FALSE(wants_colors(Color::automatic, false, {.term = "xterm", .clicolor_force = "0"}));
  CHECK_FALSE(wants_colors(Color::automatic, false, {.no_color = "1", .clicolor_force = "1"}));
  CHECK(wants_colors(Color::always, false, {.no_color = "1"}));
  CHECK_FALSE(wants_colors(Color::never, true, {.term = "xterm", .clicolor_force = "1"}));
}
