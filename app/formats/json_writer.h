// The JSON document of a file: openai/whisper's result and OpenAI's verbose_json in one, with what
// ran where, times and warnings. Its schema is app/formats/transcript.schema.json.
#pragma once

#include <cstdint>
#include <iosfwd>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// Changes when a field is taken away or changes its meaning; a new field does not change it.
inline constexpr int kSchemaVersion = 1;

// Choices that the program made where its user left them open.
struct Chosen {
  std::string option;  // "--precision"
  std::string value;   // as the command line has it
  std::string reason;  // "--optimize-for speed"
};

struct Choices {
  std::string optimize_for;  // the goal that was asked for; empty: none
  // Bytes that the process may take on the host, and that it takes at most as estimated; none: no
  // limit was given, or it was one of an NPU's buffers.
  std::optional<std::uint64_t> memory_limit;
  std::uint64_t memory_estimate = 0;
  std::vector<Chosen> options;

  bool is_asked_for() const { return !optimize_for.empty() || memory_limit.has_value(); }
};

enum class JsonLayout { indented, one_line };

// `choices` are written where they were asked for. Strings must be valid UTF-8. Numbers that are
// not finite come out as null.
void write_json(const Transcript& transcript, JsonLayout layout, const Choices& choices,
                std::ostream& out);

}  // namespace wnpu::app
