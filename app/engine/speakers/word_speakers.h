// Words and turns of speakers: whose word each is.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/engine/speakers/time_index.h"
#include "audio/speakers/diarizer.h"
#include "decoder/text/segment.h"

namespace wnpu::app {

// Number of a speaker, from 0 on; none: nobody.
using SpeakerId = std::optional<std::size_t>;

// Name of a speaker who was given none: "speaker 1" of number 0.
std::string usual_name(std::size_t speaker);

// Time of a stretch in which speakers speak.
struct Share {
  double seconds = 0;  // of the stretch
  double alone = 0;    // of them, in which the speaker spoke, less those of the others' longest
};

class TurnList {
 public:
  // Turns by their begin, as Diarizer gives them.
  explicit TurnList(std::vector<audio::SpeakerTurn> turns);

  // One behind the last number.
  std::size_t n_speakers() const { return n_speakers_; }
  // Seconds of begin .. end that are each speaker's.
  std::vector<double> seconds(double begin, double end) const;
  // Speaker of the turn that is the nearest to begin .. end, if one is near.
  SpeakerId nearest(double begin, double end) const;
  Share share(std::size_t speaker, double begin, double end) const;

 private:
  std::vector<audio::SpeakerTurn> turns_;
  TimeIndex times_;
  std::size_t n_speakers_ = 0;
};

// Speaker of each word of a segment: who speaks for most of it, of several the one before, else
// whose turn is near. Words without either go with those around them; where the segment has no
// other, they are nobody's. One or two short words of another speaker within a speaker's are his if
// he speaks as well; one word beside the end of a sentence goes with its sentence.
std::vector<SpeakerId> speakers_of(std::span<const decoder::Word> words, const TurnList& turns);

}  // namespace wnpu::app
