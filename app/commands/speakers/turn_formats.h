// Turns of speakers as files: RTTM (NIST, "The 2009 (RT-09) Rich Transcription Meeting Recognition
// Evaluation Plan", appendix A) and JSON (speakers.schema.json).
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "audio/speakers/diarizer.h"

namespace wnpu::app {

struct DiarizedFile {
  std::string name;  // as it was given
  double seconds = 0;
  std::vector<audio::SpeakerTurn> turns;
};

// "SPEAKER_00"
std::string speaker_name(int speaker);
// A line a turn; the recording's name is the file's, without folder, extension and spaces.
std::string rttm_of(const DiarizedFile& file);
std::string speakers_json(std::span<const DiarizedFile> files);

}  // namespace wnpu::app
