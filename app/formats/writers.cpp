#include "app/formats/writers.h"

#include <algorithm>
#include <ostream>

#include "app/engine/timestamp.h"
#include "app/formats/json_writer.h"
#include "app/formats/subtitles.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr TimestampStyle kVttStyle{.always_hours = false, .decimal_marker = '.'};
constexpr TimestampStyle kSrtStyle{.always_hours = true, .decimal_marker = ','};

void repair(std::string& text, std::size_t& n_repaired) {
  std::string repaired = models::repair_utf8(text);
  if (repaired != text) ++n_repaired;
  text = std::move(repaired);
}

// Everything that comes from outside: texts of the model, names of files, messages.
Transcript repaired(Transcript transcript) {
  std::size_t n_repaired = 0;
  for (Segment& segment : transcript.segments) {
    repair(segment.text, n_repaired);
    for (Word& word : segment.words) repair(word.text, n_repaired);
  }
  for (std::string* text :
       {&transcript.input.path, &transcript.input.format, &transcript.model.name,
        &transcript.model.path, &transcript.device.reason, &transcript.language}) {
    repair(*text, n_repaired);
  }
  for (std::string& warning : transcript.warnings) repair(warning, n_repaired);
  if (n_repaired > 0) {
    transcript.warnings.push_back("broken UTF-8 in " + std::to_string(n_repaired) +
                                  " texts was replaced by U+FFFD");
  }
  return transcript;
}

void write_text(const Transcript& transcript, const WriteOptions& options, std::ostream& out) {
  for (const auto& segment : transcript.segments) out << text_line(segment, options);
}

// utils.py WriteTXT
void write_txt(const Transcript& transcript, std::ostream& out) {
  for (const auto& segment : transcript.segments) out << models::strip(segment.text) << '\n';
}

// utils.py WriteSRT
void write_srt(const Transcript& transcript, const SubtitleLayout& layout, std::ostream& out) {
  std::size_t number = 1;
  for (const Cue& cue : make_cues(transcript.segments, layout, kSrtStyle)) {
    out << number++ << '\n' << cue.start << " --> " << cue.end << '\n' << cue.text << "\n\n";
  }
}

// utils.py WriteVTT; a comment block (WebVTT 4.1) where the run was stopped.
void write_vtt(const Transcript& transcript, const SubtitleLayout& layout, std::ostream& out) {
  out << "WEBVTT\n\n";
  for (const Cue& cue : make_cues(transcript.segments, layout, kVttStyle)) {
    out << cue.start << " --> " << cue.end << '\n' << cue.text << "\n\n";
  }
  if (transcript.truncated) out << "NOTE truncated: the run was stopped here\n\n";
}

// utils.py WriteTSV: integer milliseconds
void write_tsv(const Transcript& transcript, std::ostream& out) {
  out << "start\tend\ttext\n";
  for (const auto& segment : transcript.segments) {
    out << to_milliseconds(segment.start) << '\t' << to_milliseconds(segment.end) << '\t'
        << models::replace_all(models::strip(segment.text), "\t", " ") << '\n';
  }
}

// Lyrics: "[mm:ss.xx]words", hundredths of a second, minutes going on past 59; one line a segment.
void write_lrc(const Transcript& transcript, std::ostream& out) {
  for (const auto& segment : transcript.segments) {
    const auto hundredths = (to_milliseconds(segment.start) + 5) / 10;
    const auto two_digits = [](auto n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    out << '[' << two_digits(hundredths / 6000) << ':' << two_digits(hundredths / 100 % 60) << '.'
        << two_digits(hundredths % 100) << ']'
        << models::replace_all(models::strip(segment.text), "\n", " ") << '\n';
  }
}

// RFC 4180 quoting; columns as in tsv. Lines end with "\n" as in every other format.
void write_csv(const Transcript& transcript, std::ostream& out) {
  out << "start,end,text\n";
  for (const auto& segment : transcript.segments) {
    out << to_milliseconds(segment.start) << ',' << to_milliseconds(segment.end) << ",\""
        << models::replace_all(models::strip(segment.text), "\"", "\"\"") << "\"\n";
  }
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

std::string text_line(const Segment& segment, const WriteOptions& options) {
  const std::string text = models::repair_utf8(segment.text);
  if (!options.text_timestamps) return std::string(models::strip(text)) + "\n";
  // openai/whisper transcribe.py with verbose=True: the text keeps its leading space.
  return "[" + format_timestamp(segment.start, kVttStyle) + " --> " +
         format_timestamp(segment.end, kVttStyle) + "] " + text + "\n";
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
      return write_json(clean, JsonLayout::indented, out);
    case Format::jsonl:
      return write_json(clean, JsonLayout::one_line, out);
    case Format::lrc:
      return write_lrc(clean, out);
    case Format::csv:
      return write_csv(clean, out);
  }
}

}  // namespace wnpu::app
