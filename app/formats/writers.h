// A transcript as text in each of the formats that can be asked for. Pure: no files, no streams of
// the process. txt, srt, vtt and tsv are byte for byte what openai/whisper's writers (utils.py)
// write for the same segments, but for what README.md lists.
#pragma once

#include <array>
#include <cstddef>
#include <iosfwd>
#include <optional>
#include <string>
#include <string_view>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/json_writer.h"
#include "app/formats/subtitles.h"

namespace wnpu::app {

// text is for people at a terminal; the others are files' formats.
enum class Format { text, txt, srt, vtt, tsv, json, jsonl, lrc, csv };

struct FormatName {
  Format format;
  std::string_view name;       // as on the command line
  std::string_view extension;  // of its files, without the dot
};
inline constexpr std::array<FormatName, 9> kFormats{{{Format::text, "text", "txt"},
                                                     {Format::txt, "txt", "txt"},
                                                     {Format::srt, "srt", "srt"},
                                                     {Format::vtt, "vtt", "vtt"},
                                                     {Format::tsv, "tsv", "tsv"},
                                                     {Format::json, "json", "json"},
                                                     {Format::jsonl, "jsonl", "jsonl"},
                                                     {Format::lrc, "lrc", "lrc"},
                                                     {Format::csv, "csv", "csv"}}};

std::optional<Format> find_format(std::string_view name);
std::string_view extension_of(Format format);
// Whether it shows all of a transcript.
constexpr bool is_json(Format format) { return format == Format::json || format == Format::jsonl; }

struct WriteOptions {
  SubtitleLayout layout;
  bool text_timestamps = false;  // format text: "[00:00.000 --> 00:07.740]  words" lines
  Choices choices = {};          // of the run, for JSON
};

// One line of format text, with its newline; what is printed while a file is being decoded, for a
// terminal perhaps with colours (confidence_colors.h).
std::string text_line(const Segment& segment, const WriteOptions& options, bool has_colors = false);

// Broken UTF-8 in the transcript comes out as U+FFFD, in every format.
void write(Format format, const Transcript& transcript, const WriteOptions& options,
           std::ostream& out);

}  // namespace wnpu::app
