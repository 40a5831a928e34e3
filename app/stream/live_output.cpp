#include "app/stream/live_output.h"

#include <utility>

#include "app/formats/shown_text.h"
#include "app/formats/subtitles.h"
#include "models/base/utf8.h"

namespace wnpu::app {

LiveOutput::LiveOutput(LiveOutputOptions options, WriteFn write)
    : options_(std::move(options)), write_(std::move(write)) {}

void LiveOutput::show(const StreamEvent& event, double work_s) {
  if (options_.is_json) return show_json(event, work_s);
  if (event.type == StreamEvent::Type::speaker) return show_speaker(event);
  if (!options_.has_speakers || event.type == StreamEvent::Type::partial) show_text(event);
}

void LiveOutput::show_json(StreamEvent event, double work_s) {
  const bool had_partial = std::exchange(has_partial_, false);
  if (event.words.empty()) {
    if (!had_partial) return;
    event.type = StreamEvent::Type::partial;
  }
  has_partial_ = event.type == StreamEvent::Type::partial && !event.words.empty();
  write_(stream_json(event, work_s));
}

// ECMA-48: CUB moves the cursor back, EL erases to the end of the line.
std::string LiveOutput::erased_tail() {
  const std::size_t columns = std::exchange(tail_columns_, 0);
  return columns == 0 ? "" : "\x1b[" + std::to_string(columns) + "D\x1b[K";
}

// As much as the line has room for, but its last column, from which a cursor would not come back.
std::string LiveOutput::drawn_tail(const std::string& text) {
  const std::size_t columns = options_.columns ? options_.columns() : 80;
  if (columns < 2) return "";
  const std::size_t used = line_columns_ % columns;
  const std::string line = printable(text);
  const std::string_view shown = first_columns(line, columns - 1 - used);
  tail_columns_ = width_of(shown);
  return std::string(shown);
}

void LiveOutput::show_text(const StreamEvent& event) {
  const bool is_final = event.type == StreamEvent::Type::final;
  if (!is_final && !options_.shows_tail) return;
  std::string text = options_.is_terminal ? printable_lines(event.text()) : event.text();
  if (!is_line_begun_ && text.starts_with(' ')) text.erase(0, 1);
  if (!is_final) {
    std::string drawn = erased_tail();
    drawn += drawn_tail(text);
    return write_(drawn);
  }
  is_line_begun_ = is_line_begun_ || !text.empty();
  line_columns_ += options_.shows_tail ? width_of(text) : 0;
  text = erased_tail() + text;
  if (event.ends_line && is_line_begun_) {
    text += '\n';
    is_line_begun_ = false;
    line_columns_ = 0;
  }
  if (!text.empty()) write_(text);
}

void LiveOutput::show_speaker(const StreamEvent& event) {
  const std::string text = event.text();
  const std::string line = speaker_prefix(event.speaker) + std::string(models::strip(text));
  write_(erased_tail() + (options_.is_terminal ? printable_lines(line) : line) + '\n');
}

void LiveOutput::end() {
  std::string text = erased_tail();
  if (std::exchange(is_line_begun_, false)) text += '\n';
  if (!text.empty()) write_(text);
}

}  // namespace wnpu::app
