// Segments on their way out get their speakers: by turns, or as their channels are theirs.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "app/engine/speakers/word_speakers.h"
#include "app/engine/whisper_npu.hpp"
#include "app/engine/windows/recording_audio.h"
#include "decoder/text/segment.h"
#include "models/base/stages.h"

namespace wnpu::app {

class SpeakerLabels {
 public:
  // `heard` must outlive it. `eot`: the first token that is no text.
  SpeakerLabels(const TranscribeOptions& options, const RecordingAudio& heard, models::TokenId eot);

  // Whether segments need words for it, in the place of which none were asked for.
  bool needs_words() const { return is_asked_for_ && !keeps_words_; }
  // The next segment of a channel, in their order: those that are final by it.
  std::vector<Segment> take(decoder::Segment segment, std::size_t channel);
  // Once all were taken: the rest.
  std::vector<Segment> rest();
  // Who spoke, by what was given out; none: not asked for.
  std::optional<std::vector<Speaker>> speakers() const;
  // Warnings of names for speakers that are not there.
  void warn(std::vector<std::string>& warnings) const;

 private:
  struct Tally {
    std::string name;
    Share share;
  };

  Segment labelled(decoder::Segment segment, SpeakerId speaker);
  std::vector<Segment> by_turns(decoder::Segment segment);
  Share share_of(std::size_t speaker, double begin, double end) const;

  bool is_asked_for_;
  bool keeps_words_;
  bool is_of_channels_;
  const RecordingAudio& heard_;
  models::TokenId eot_;
  TurnList turns_;
  std::vector<Tally> tallies_;                           // of each speaker
  std::vector<std::string> unknown_;                     // keys of names without a speaker
  std::vector<std::vector<decoder::Segment>> channels_;  // that wait for the others
};

}  // namespace wnpu::app
