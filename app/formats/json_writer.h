// The JSON document of a file: openai/whisper's result and OpenAI's verbose_json in one, with what
// ran where, times and warnings. Its schema is app/formats/transcript.schema.json.
#pragma once

#include <iosfwd>

#include "app/engine/whisper_npu.hpp"
#include "app/formats/choices.h"

namespace wnpu::app {

// Changes when a field is taken away or changes its meaning; a new field does not change it.
inline constexpr int kSchemaVersion = 1;

enum class JsonLayout { indented, one_line };

// `choices` are written where they were asked for. Strings must be valid UTF-8. Numbers that are
// not finite come out as null.
void write_json(const Transcript& transcript, JsonLayout layout, const Choices& choices,
                std::ostream& out);

}  // namespace wnpu::app
