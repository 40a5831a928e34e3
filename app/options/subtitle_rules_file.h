// Rules of subtitles by name, or in a file.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "app/formats/subtitle_rules/rules.h"

namespace wnpu::app {

// "plain" (none), a name of kRulesNames, or the path of a TOML file, which ends with ".toml": the
// keys of SubtitleRules with dashes, and `base`, the name of the rules that it changes. Throws
// UsageError.
std::optional<SubtitleRules> read_subtitle_rules(const std::string& name);
// read_subtitle_rules() of a file's text; `name` is for messages.
SubtitleRules parse_subtitle_rules(std::string_view text, const std::string& name);

}  // namespace wnpu::app
