// The progress bar on terminals of several widths, replayed on a small terminal.
#include "app/system/progress.h"

#include <algorithm>
#include <chrono>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/formats/shown_text.h"
#include "app/formats/text_table.h"

namespace {

using namespace wnpu::app;

// As much of ECMA-48 as the program may use, with the widths of the characters below: lines, of
// which those that were wrapped into are counted.
class Terminal {
 public:
  explicit Terminal(std::size_t columns) : columns_(columns) {}

  void write(const std::string& text) {
    for (std::size_t i = 0; i < text.size();) {
      if (text[i] == '\r') {
        column_ = 0;
        ++i;
      } else if (text[i] == '\n') {
        column_ = 0;
        lines_.emplace_back();
        ++i;
      } else if (text.compare(i, 3, "\x1b[K") == 0) {
        lines_.back().resize(std::min(column_, lines_.back().size()));
        i += 3;
      } else {
        i += put(text, i);
      }
    }
  }

  const std::vector<std::string>& lines() const { return lines_; }
  int n_wraps() const { return n_wraps_; }

 private:
  // U+0301 takes none, U+3000 to U+9FFF take two columns, all else one. Returns its bytes.
  std::size_t put(const std::string& text, std::size_t at) {
    const auto lead = static_cast<unsigned char>(text[at]);
    REQUIRE(lead >= 0x20);
    const std::size_t bytes = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    const bool is_combining = text.compare(at, 2, "\xCC\x81") == 0;
    const std::size_t width = is_combining ? 0 : lead >= 0xE3 && lead <= 0xE9 ? 2 : 1;
    if (column_ + width > columns_) {
      column_ = 0;
      lines_.emplace_back();
      ++n_wraps_;
    }
    lines_.back().resize(std::max(lines_.back().size(), column_ + width), ' ');
    if (width > 0) lines_.back()[column_] = bytes == 1 ? text[at] : 'W';
    column_ += width;
    return bytes;
  }

  std::size_t columns_;
  std::size_t column_ = 0;
  std::vector<std::string> lines_ = {""};
  int n_wraps_ = 0;
};

const std::vector<std::string> kNames = {
    "jfk.wav",
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx"
    "xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.wav",
    "会議の録音その一二三四五六七八九十会議の録音.wav",
    "cafe\xCC\x81 e\xCC\x81te\xCC\x81 e\xCC\x81te\xCC\x81 e\xCC\x81te\xCC\x81.wav",
    "\x1b[2J\u009b2Jevil\u202egnp.wav",
    "broken \xff\xfe.wav"};

}  // namespace

TEST_CASE("progress: a line with the share done and the time left") {
  CHECK(progress_line("jfk.wav", {15, 60, 10}, 80) ==
        "jfk.wav   25% [#######                       ] 0:30 left");
  CHECK(progress_line("jfk.wav", {60, 60, 10}, 200) ==
        "jfk.wav  100% [##############################] 0:00 left");
  CHECK(progress_line("jfk.wav", {0, 60, 10}, 80) ==
        "jfk.wav    0% [                              ]");
  CHECK(progress_line("jfk.wav", {30, 60, 10}, 40) == "jfk.wav   50% [######       ] 0:10 left");
  CHECK(progress_line("jfk.wav", {30, 60, 10}, 20) == "jfk.wav   50%");
  CHECK(progress_line("jfk.wav", {0, 0, 10}, 80) == "jfk.wav  reading");
  CHECK(progress_line("jfk.wav", {30, 60, 10}, 1).empty());
}

TEST_CASE("progress: never as wide as the terminal") {
  for (const std::string& name : kNames) {
    for (std::size_t columns = 1; columns < 130; ++columns) {
      for (const Progress& progress : {Progress{0, 0, 1}, {0, 60, 1}, {30, 60, 3e6}, {60, 60, 1}}) {
        CAPTURE(name);
        const std::string line = progress_line(name, progress, columns);
        CHECK(width_of(line) < std::min<std::size_t>(columns, 80));
        Terminal terminal(columns);
        terminal.write(line);
        CHECK(terminal.n_wraps() == 0);
      }
    }
  }
}

TEST_CASE("progress: what is left on the screen are the messages, whole") {
  for (const std::size_t columns : {20U, 40U, 80U, 200U}) {
    Terminal terminal(columns);
    std::ostringstream err;
    {
      Messages messages(err, Verbosity::normal, true, [columns] { return columns; });
      for (const std::string& name : kNames) {
        messages.begin_progress(name);
        messages.update_progress(0, 60);
        std::this_thread::sleep_for(std::chrono::milliseconds(101));
        messages.update_progress(59, 60);
        messages.note("n");
        messages.update_progress(1, 61);
        messages.hide_progress();
      }
      messages.begin_progress("an exception ends this one");
    }
    terminal.write(err.str());
    CHECK(terminal.n_wraps() == 0);
    std::vector<std::string> expected(kNames.size(), "whisper-npu: n");
    expected.emplace_back();
    CHECK(terminal.lines() == expected);
  }
}

TEST_CASE("progress: reading is shown until the length is known, then at once the share") {
  std::ostringstream err;
  Messages messages(err, Verbosity::normal, true);
  messages.begin_progress("a");
  messages.update_progress(0, 60);
  messages.update_progress(1, 60);  // too soon
  CHECK(err.str() == "\r\x1b[Ka  reading\r\x1b[Ka    0% [                              ]");
  messages.error("broken");
  CHECK(err.str().ends_with("\r\x1b[Kwhisper-npu: broken\n"));
}

TEST_CASE("terminal: a table's cells are text of one line, however wide its characters are") {
  CHECK(text_table({{"NAME", "SIZE"}, {"a\x1b[2J\nb", "1"}, {"会議", "2"}}) ==
        "NAME     SIZE\na?[2J?b  1\n会議     2\n");
}

TEST_CASE("terminal: text that moves the cursor or turns the direction is shown as ?") {
  CHECK(printable("a\x1b[2J\nb\x7f\u009b2J\u202egnp\u2066") == "a?[2J?b??2J?gnp?");
  CHECK(printable_lines("a\x1b[2J\n\tb\u009b2J\u202ec") == "a?[2J\n\tb?2Jc");
  CHECK(printable("\U000E01EF\U0003FFFD") == "\U000E01EF\U0003FFFD");  // known or not
  CHECK(printable("会議 cafe\xCC\x81") == "会議 cafe\xCC\x81");
  CHECK(width_of("会議 cafe\xCC\x81") == 9);
  CHECK(first_columns("会議", 3) == "会");
  CHECK(first_columns("e\xCC\x81x", 1) == "e\xCC\x81");
}
