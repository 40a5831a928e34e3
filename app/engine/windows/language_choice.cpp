#include "app/engine/windows/language_choice.h"

#include <map>
#include <string>
#include <utility>

#include "models/base/stage_timer.h"

namespace wnpu::app {

void settle_language(Recognizer& recognizer, const TranscribeOptions& options,
                     std::span<const Clip> clips, audio::MelSource& mel, Transcript& transcript) {
  transcript.language = options.language;
  if (!transcript.language.empty()) return;
  transcript.language = "en";
  if (!recognizer.vocabulary().is_multilingual()) return;
  models::LogMel window;
  std::map<std::string, std::size_t> votes;
  std::size_t seek = clips.empty() ? 0 : clips.front().start;
  for (std::size_t i = 0; i < options.language_detection_segments; ++i) {
    if (i > 0 && seek >= mel.content_frames()) break;
    mel.window(seek, window);
    seek += audio::kWindowFrames;
    recognizer.encode(0, window, transcript.timing);
    models::StageTimer timer(transcript.timing.decode);
    auto probabilities = recognizer.language_probabilities(0);
    const auto& [code, probability] = probabilities.front();
    const bool sure = probability > options.language_detection_threshold;
    const bool leads = ++votes[code] >= votes[transcript.language];
    if (sure || leads) {
      transcript.language = code;
      transcript.language_probs = std::move(probabilities);
    }
    if (sure) break;
  }
}

}  // namespace wnpu::app
