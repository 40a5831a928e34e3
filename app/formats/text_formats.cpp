#include "app/formats/text_formats.h"

#include <algorithm>
#include <ostream>

#include "app/engine/timestamp.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

constexpr TimestampStyle kSrtStyle{.always_hours = true, .decimal_marker = ','};

// For a format with a line a segment.
std::string one_line(std::string_view text) {
  std::string line(models::strip(text));
  std::ranges::replace_if(
      line, [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return line;
}

// WebVTT 4.2.2: cue text.
std::string vtt_escaped(std::string_view text) {
  const std::string plain = models::replace_all(text, "&", "&amp;");
  return models::replace_all(models::replace_all(plain, "<", "&lt;"), ">", "&gt;");
}

}  // namespace

// utils.py WriteTXT
void write_txt(const Transcript& transcript, std::ostream& out) {
  for (const auto& segment : transcript.segments) {
    out << speaker_prefix(segment.speaker) << models::strip(segment.text) << '\n';
  }
}

// utils.py WriteSRT
void write_srt(const Transcript& transcript, const SubtitleLayout& layout, std::ostream& out) {
  std::size_t number = 1;
  for (const Cue& cue : make_cues(transcript, layout, kSrtStyle, CueNames::in_text)) {
    out << number++ << '\n' << cue.start << " --> " << cue.end << '\n' << cue.text << "\n\n";
  }
}

// utils.py WriteVTT; a comment block (WebVTT 4.1) where the run was stopped. By rules of subtitles
// text is written as WebVTT has it, with escapes, and not as openai/whisper does.
void write_vtt(const Transcript& transcript, const SubtitleLayout& layout, std::ostream& out) {
  out << "WEBVTT\n\n";
  for (const Cue& cue : make_cues(transcript, layout, {}, CueNames::beside_text)) {
    out << cue.start << " --> " << cue.end << '\n';
    if (!cue.speaker.empty()) out << "<v " << vtt_escaped(cue.speaker) << '>';
    out << (layout.rules ? vtt_escaped(cue.text) : cue.text) << "\n\n";
  }
  if (transcript.truncated) out << "NOTE truncated: the run was stopped here\n\n";
}

// utils.py WriteTSV: integer milliseconds; a line a segment, whatever is in its text
void write_tsv(const Transcript& transcript, std::ostream& out) {
  const bool has_speakers = transcript.speakers.has_value();
  out << (has_speakers ? "start\tend\tspeaker\ttext\n" : "start\tend\ttext\n");
  for (const auto& segment : transcript.segments) {
    out << to_milliseconds(segment.start) << '\t' << to_milliseconds(segment.end) << '\t';
    if (has_speakers) out << segment.speaker << '\t';
    out << one_line(models::replace_all(segment.text, "\t", " ")) << '\n';
  }
}

// Lyrics: "[mm:ss.xx]words", hundredths of a second, minutes going on past 59; one line a segment.
void write_lrc(const Transcript& transcript, std::ostream& out) {
  for (const auto& segment : transcript.segments) {
    const auto hundredths = (to_milliseconds(segment.start) + 5) / 10;
    const auto two_digits = [](auto n) { return (n < 10 ? "0" : "") + std::to_string(n); };
    out << '[' << two_digits(hundredths / 6000) << ':' << two_digits(hundredths / 100 % 60) << '.'
        << two_digits(hundredths % 100) << ']' << speaker_prefix(segment.speaker)
        << one_line(segment.text) << '\n';
  }
}

// RFC 4180 quoting; columns as in tsv. Lines end with "\n" as in every other format.
void write_csv(const Transcript& transcript, std::ostream& out) {
  const bool has_speakers = transcript.speakers.has_value();
  out << (has_speakers ? "start,end,speaker,text\n" : "start,end,text\n");
  for (const auto& segment : transcript.segments) {
    out << to_milliseconds(segment.start) << ',' << to_milliseconds(segment.end) << ',';
    if (has_speakers) out << '"' << models::replace_all(segment.speaker, "\"", "\"\"") << "\",";
    out << '"' << models::replace_all(models::strip(segment.text), "\"", "\"\"") << "\"\n";
  }
}

}  // namespace wnpu::app
