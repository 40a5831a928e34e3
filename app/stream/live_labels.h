// Labels of live speech: final words wait until it is settled whose they are. What was told stays,
// and a speaker keeps the name.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/engine/speakers/word_speakers.h"
#include "app/engine/whisper_npu.hpp"
#include "app/formats/stream_event.h"
#include "audio/speakers/speaker_turn.h"

namespace wnpu::app {

class LiveLabels {
 public:
  // `names`: as SpeakerOptions has them, by numbers.
  explicit LiveLabels(std::vector<std::pair<std::string, std::string>> names = {})
      : names_(std::move(names)) {}

  // Takes the words of a final event.
  void add(const StreamEvent& event);
  // Words that end by settled_s, as events of one speaker each, but for `heard`. `turns` are those
  // of all audio so far, whose numbers may be others than the last time.
  std::vector<StreamEvent> take(std::vector<audio::SpeakerTurn> turns, double settled_s);

 private:
  struct Waiting {
    Word word;
    std::string language;
  };
  struct Told {
    double begin;
    double end;
    std::size_t speaker;
  };

  // Our number of each of the turns' speakers; none: not told yet.
  std::vector<SpeakerId> known(const TurnList& turns) const;
  std::string name_of(std::size_t speaker) const;

  std::vector<std::pair<std::string, std::string>> names_;
  std::deque<Waiting> waiting_;
  std::vector<Told> told_;
  std::size_t n_speakers_ = 0;  // that were told
};

}  // namespace wnpu::app
