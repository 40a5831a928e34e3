#include "app/commands/quantize/greedy_transcripts.h"

#include <sstream>

#include "app/engine/audio_input.h"
#include "app/engine/windows/clip_loop.h"

namespace wnpu::app {

Transcript greedy_transcript(Recognizer& recognizer, const std::string& recording) {
  TranscribeOptions options;
  options.beam_size = 1;
  options.temperature_increment_on_fallback.reset();
  return transcribe_file(recognizer, options, input_of(Audio{.path = recording}));
}

std::string text_of_all(const Transcript& transcript) {
  std::string text;
  for (const Segment& segment : transcript.segments) {
    std::istringstream words(segment.text);
    for (std::string word; words >> word;) text += (text.empty() ? "" : " ") + word;
  }
  return text;
}

}  // namespace wnpu::app
