#include "app/formats/writers.h"

#include <algorithm>
#include <ostream>

#include "app/engine/timestamp.h"
#include "app/formats/confidence_colors.h"
#include "app/formats/repaired.h"
#include "app/formats/text_formats.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

void write_text(const Transcript& transcript, const WriteOptions& options, std::ostream& out) {
  for (const auto& segment : transcript.segments) out << text_line(segment, options);
}

}  // namespace

std::optional<Format> find_format(std::string_view name) {
  for (const FormatName& known : kFormats) {
    if (known.name == name) return known.format;
  }
  return std::nullopt;
}

std::string_view extension_of(Format format) {
  return std::find_if(kFormats.begin(), kFormats.end(),
                      [format](const FormatName& known) { return known.format == format; })
      ->extension;
}

std::string text_line(const Segment& segment, const WriteOptions& options, bool has_colors) {
  std::string text = models::repair_utf8(segment.text);
  if (!options.text_timestamps) text = std::string(models::strip(text));
  if (has_colors) text = with_confidence_colors(text, segment);
  text.insert(models::leading_space(text), speaker_prefix(segment.speaker));
  if (!options.text_timestamps) return text + "\n";
  // openai/whisper transcribe.py with verbose=True: the text keeps its leading space.
  return "[" + format_timestamp(segment.start, {}) + " --> " + format_timestamp(segment.end, {}) +
         "] " + text + "\n";
}

void write(Format format, const Transcript& transcript, const WriteOptions& options,
           std::ostream& out) {
  const Transcript clean = repaired(transcript);
  switch (format) {
    case Format::text:
      return write_text(clean, options, out);
    case Format::txt:
      return write_txt(clean, out);
    case Format::srt:
      return write_srt(clean, options.layout, out);
    case Format::vtt:
      return write_vtt(clean, options.layout, out);
    case Format::tsv:
      return write_tsv(clean, out);
    case Format::json:
      return write_json(clean, JsonLayout::indented, options.choices, out);
    case Format::jsonl:
      return write_json(clean, JsonLayout::one_line, options.choices, out);
    case Format::lrc:
      return write_lrc(clean, out);
    case Format::csv:
      return write_csv(clean, out);
  }
}

}  // namespace wnpu::app
