// `whisper-npu subtitles`: subtitle files, whoever made them.
#pragma once

#include <string>

#include "app/formats/subtitle_rules/subtitle_file.h"
#include "app/options/subcommand.h"

namespace wnpu::app {

// Content of a file of text. Throws Error(audio) where it cannot be read, is a folder, or has more
// than 16 MiB; `expected`: "a text".
std::string bytes_of_text(const std::string& path, const std::string& expected);

Subcommand subtitles_command();

}  // namespace wnpu::app
