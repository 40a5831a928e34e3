// Frames to turns.
#include "audio/speakers/speaker_turns.h"

#include <vector>

#include <doctest/doctest.h>

#include "audio/speakers/segmentation_net.h"

using namespace wnpu::audio;

namespace {

constexpr double kFrame = SegmentationNet::kFrameSamples / 16000.0;
constexpr double kFirst = SegmentationNet::kFirstSample / 16000.0;
constexpr std::size_t kLong = 16000 * 60;

using Frames = std::vector<std::uint32_t>;

void talk(Frames& frames, std::size_t from, std::size_t to, int speaker) {
  for (std::size_t i = from; i < to; ++i) frames[i] |= 1U << static_cast<unsigned>(speaker);
}

}  // namespace

TEST_CASE("speaker turns: are numbered by their begin, and may overlap") {
  Frames frames(1000);
  talk(frames, 10, 200, 5);
  talk(frames, 150, 400, 2);
  const auto turns = turns_of(frames, kLong);
  REQUIRE(turns.size() == 2);
  CHECK(turns[0].speaker == 0);
  CHECK(turns[0].begin_s == doctest::Approx(kFirst + 10 * kFrame));
  CHECK(turns[0].end_s == doctest::Approx(kFirst + 200 * kFrame));
  CHECK(turns[1].speaker == 1);
  CHECK(turns[1].begin_s < turns[0].end_s);
}

TEST_CASE("speaker turns: short gaps close, short turns go, none passes the end") {
  const TurnRules rules;
  const auto frames_of = [](double seconds) { return static_cast<std::size_t>(seconds / kFrame); };
  Frames frames(2000);
  talk(frames, 0, 100, 0);
  talk(frames, 100 + frames_of(rules.most_gap_s) - 1, 300, 0);
  talk(frames, 600, 600 + frames_of(rules.least_turn_s) - 1, 1);
  talk(frames, 1500, 2000, 0);
  const std::size_t n_samples = SegmentationNet::kFrameSamples * 1600;
  const auto turns = turns_of(frames, n_samples);
  REQUIRE(turns.size() == 2);
  CHECK(turns[0].end_s == doctest::Approx(kFirst + 300 * kFrame));
  CHECK(turns[1].end_s == static_cast<double>(n_samples) / 16000);
  CHECK(turns_of({}, 0).empty());
  CHECK(turns_of(Frames(500), kLong).empty());
}
