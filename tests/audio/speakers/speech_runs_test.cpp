// Windows to pieces of speech.
#include "audio/speakers/speech_runs.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace wnpu::audio;

namespace {

constexpr std::size_t kRunFrames = SegmentationNet::kFrames;
constexpr std::size_t kStep = SpeechRuns::kStepFrames;

// Who of three talks in each frame of a recording, as windows tell it: `order` of each window says
// under which local number a speaker is heard.
std::vector<SegmentationNet::Frames> windows_of(const std::vector<std::uint8_t>& talking,
                                                const std::vector<std::array<int, 3>>& orders) {
  std::vector<SegmentationNet::Frames> windows(orders.size());
  for (std::size_t w = 0; w < orders.size(); ++w) {
    for (std::size_t f = 0; f < kRunFrames && w * kStep + f < talking.size(); ++f) {
      for (std::size_t s = 0; s < 3; ++s) {
        if ((talking[w * kStep + f] >> s & 1U) != 0)
          windows[w][f] = static_cast<std::uint8_t>(windows[w][f] | 1U << orders[w][s]);
      }
    }
  }
  return windows;
}

std::vector<SpeechPiece> pieces_heard(const std::vector<SegmentationNet::Frames>& windows,
                                      SpeechRuns& runs) {
  for (const auto& window : windows) runs.add(window);
  runs.finish();
  std::vector<SpeechPiece> pieces = runs.take();
  std::ranges::sort(pieces, {}, [](const SpeechPiece& piece) { return piece.begin; });
  return pieces;
}

}  // namespace

TEST_CASE("speech runs: a long one is cut into pieces, across windows whose numbers differ") {
  std::vector<std::uint8_t> talking(3 * kStep + kRunFrames);
  std::fill(talking.begin() + 100, talking.begin() + 1300, std::uint8_t{1});
  SpeechRuns runs;
  const auto pieces =
      pieces_heard(windows_of(talking, {{0, 1, 2}, {2, 0, 1}, {1, 2, 0}, {0, 1, 2}}), runs);
  REQUIRE(pieces.size() > 1);
  CHECK(pieces.front().begin == 100);
  CHECK(pieces.back().end == 1300);
  for (std::size_t i = 0; i < pieces.size(); ++i) {
    CHECK(pieces[i].track == pieces[0].track);
    const std::size_t length = pieces[i].end - pieces[i].begin;
    CHECK(length <= SpeechRuns::kMostFrames);
    CHECK(length >= SpeechRuns::kMostFrames - SpeechRuns::kPieceFrames);
    if (i > 0) CHECK(pieces[i].begin == pieces[i - 1].end);
  }
}

TEST_CASE("speech runs: those who talk together are apart, and counted") {
  std::vector<std::uint8_t> talking(kRunFrames);
  std::fill(talking.begin() + 10, talking.begin() + 60, std::uint8_t{1});
  std::fill(talking.begin() + 40, talking.begin() + 90, std::uint8_t{2});
  for (std::size_t f = 40; f < 60; ++f) talking[f] = 3;
  SpeechRuns runs;
  const auto pieces = pieces_heard(windows_of(talking, {{0, 1, 2}}), runs);
  REQUIRE(pieces.size() == 2);
  CHECK(pieces[0].end == 60);
  CHECK(pieces[1].begin == 40);
  CHECK(pieces[0].track != pieces[1].track);
  CHECK(runs.n_talking().size() == kRunFrames);
  CHECK(runs.n_talking()[39] == 1);
  CHECK(runs.n_talking()[40] == 2);
}

TEST_CASE("speech runs: pieces cover what windows hear, whatever it is") {
  std::mt19937 random(3);
  for (int round = 0; round < 20; ++round) {
    std::vector<std::uint8_t> talking;
    while (talking.size() < 4 * kStep + kRunFrames) {
      talking.insert(talking.end(), random() % 200 + 1,
                     SegmentationNet::kSpeakersOf[random() % SegmentationNet::kClasses]);
    }
    talking.resize(4 * kStep + kRunFrames);
    SpeechRuns runs;
    std::vector<std::uint8_t> covered(talking.size());
    for (const SpeechPiece& piece : pieces_heard(
             windows_of(talking, {{0, 1, 2}, {1, 2, 0}, {0, 1, 2}, {2, 1, 0}, {0, 2, 1}}), runs)) {
      for (std::size_t f = piece.begin; f < piece.end; ++f) ++covered[f];
    }
    CHECK(covered == runs.n_talking());
  }
}

TEST_CASE("speech runs: no window, no speech") {
  SpeechRuns runs;
  CHECK(pieces_heard({}, runs).empty());
  CHECK(runs.n_talking().empty());
}
