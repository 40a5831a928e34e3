#include "audio/speakers/speaker_turns.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <limits>
#include <tuple>

#include "audio/speakers/segmentation_net.h"

namespace wnpu::audio {
namespace {

constexpr double kRate = 16000;
constexpr std::size_t kMostSpeakers = std::numeric_limits<std::uint32_t>::digits;

double begin_of(std::size_t frame) {
  return static_cast<double>(SegmentationNet::kFirstSample +
                             frame * SegmentationNet::kFrameSamples) /
         kRate;
}

// Turns of one speaker, without gaps that are too short.
std::vector<SpeakerTurn> turns_of_speaker(std::span<const std::uint32_t> frames,
                                          std::size_t speaker, const TurnRules& rules) {
  std::vector<SpeakerTurn> turns;
  for (std::size_t i = 0; i < frames.size(); ++i) {
    if ((frames[i] >> speaker & 1U) == 0) continue;
    if (turns.empty() || begin_of(i) - turns.back().end_s > rules.most_gap_s)
      turns.push_back({begin_of(i), 0, static_cast<int>(speaker)});
    turns.back().end_s = begin_of(i + 1);
  }
  std::erase_if(turns,
                [&](const SpeakerTurn& t) { return t.end_s - t.begin_s < rules.least_turn_s; });
  return turns;
}

}  // namespace

std::vector<SpeakerTurn> turns_of(std::span<const std::uint32_t> frames, std::size_t n_samples,
                                  const TurnRules& rules) {
  std::vector<SpeakerTurn> turns;
  for (std::size_t speaker = 0; speaker < kMostSpeakers; ++speaker) {
    const auto of_speaker = turns_of_speaker(frames, speaker, rules);
    turns.insert(turns.end(), of_speaker.begin(), of_speaker.end());
  }
  const double end = static_cast<double>(n_samples) / kRate;
  for (SpeakerTurn& turn : turns) turn.end_s = std::min(turn.end_s, end);
  std::erase_if(turns, [](const SpeakerTurn& turn) { return turn.end_s <= turn.begin_s; });
  std::ranges::stable_sort(turns, {}, [](const SpeakerTurn& t) { return t.begin_s; });
  std::array<int, kMostSpeakers> numbers{};
  int n_speakers = 0;
  for (SpeakerTurn& turn : turns) {
    int& number = numbers[static_cast<std::size_t>(turn.speaker)];
    if (number == 0) number = ++n_speakers;
    turn.speaker = number - 1;
  }
  std::ranges::stable_sort(turns, {},
                           [](const SpeakerTurn& t) { return std::tuple(t.begin_s, t.speaker); });
  return turns;
}

}  // namespace wnpu::audio
