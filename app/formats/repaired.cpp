#include "app/formats/repaired.h"

#include <string>
#include <utility>

#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

void repair(std::string& text, std::size_t& n_repaired) {
  std::string repaired = models::repair_utf8(text);
  if (repaired != text) ++n_repaired;
  text = std::move(repaired);
}

}  // namespace

Transcript repaired(Transcript transcript) {
  std::size_t n_repaired = 0;
  for (Segment& segment : transcript.segments) {
    repair(segment.text, n_repaired);
    for (Word& word : segment.words) repair(word.text, n_repaired);
  }
  for (ExtraSpeech& each : transcript.extra_speech) repair(each.text, n_repaired);
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

}  // namespace wnpu::app
