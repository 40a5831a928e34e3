// The formats that are lines of text: openai/whisper's (utils.py), lyrics, and CSV.
#pragma once

#include <iosfwd>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/subtitles.h"

namespace wnpu::app {

void write_txt(const Transcript& transcript, std::ostream& out);
void write_srt(const Transcript& transcript, const SubtitleLayout& layout, std::ostream& out);
void write_vtt(const Transcript& transcript, const SubtitleLayout& layout, std::ostream& out);
void write_tsv(const Transcript& transcript, std::ostream& out);
void write_lrc(const Transcript& transcript, std::ostream& out);
void write_csv(const Transcript& transcript, std::ostream& out);

}  // namespace wnpu::app
