// Events as they come, for people or for programs. On a terminal the words that may still change
// stand behind the final ones, and are gone when anything else is written. Programs are told by a
// partial event without words where words were taken back and no others came.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

#include "app/formats/stream_event.h"

namespace wnpu::app {

struct LiveOutputOptions {
  bool is_json = false;
  bool has_speakers = false;  // text is that of speaker events, a line each
  bool is_terminal = false;
  bool shows_tail = false;                    // on a terminal
  std::function<std::size_t()> columns = {};  // of it
};

class LiveOutput {
 public:
  using WriteFn = std::function<void(std::string_view)>;

  LiveOutput(LiveOutputOptions options, WriteFn write);

  void show(const StreamEvent& event, double work_s);
  // Takes away what is not final, and ends the line.
  void end();

 private:
  void show_text(const StreamEvent& event);
  void show_speaker(const StreamEvent& event);
  void show_json(StreamEvent event, double work_s);
  std::string erased_tail();
  std::string drawn_tail(const std::string& text);

  LiveOutputOptions options_;
  WriteFn write_;
  std::size_t line_columns_ = 0;  // of the final text on the line
  bool is_line_begun_ = false;
  std::size_t tail_columns_ = 0;
  bool has_partial_ = false;  // of JSON: the last event was one, with words
};

}  // namespace wnpu::app
