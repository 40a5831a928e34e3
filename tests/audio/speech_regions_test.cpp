// Rules of faster-whisper's vad.py on probabilities written by hand; a block is 512 samples.
#include "audio/vad/speech_regions.h"

#include <random>

#include <doctest/doctest.h>

using namespace wnpu::audio;  // NOLINT

namespace {

constexpr std::size_t kBlock = 512;

// Runs of blocks of one probability.
std::vector<float> blocks(const std::vector<std::pair<int, float>>& runs) {
  std::vector<float> all;
  for (const auto& [n, probability] : runs)
    all.insert(all.end(), static_cast<std::size_t>(n), probability);
  return all;
}

wnpu::audio::VadOptions bare() {
  wnpu::audio::VadOptions options;
  options.speech_pad_ms = 0;
  options.min_silence_duration_ms = 320;  // 10 blocks
  return options;
}

std::vector<SpeechRegion> find(const std::vector<float>& probabilities,
                               const wnpu::audio::VadOptions& options) {
  return speech_regions(probabilities, probabilities.size() * kBlock, options);
}

SpeechRegion region(std::size_t first_block, std::size_t end_block) {
  return {first_block * kBlock, end_block * kBlock};
}

}  // namespace

TEST_CASE("speech regions: begin at the threshold, end where a long silence began") {
  const auto p = blocks({{5, 0.1F}, {20, 0.9F}, {15, 0.1F}, {3, 0.9F}});
  CHECK(find(p, bare()) == std::vector<SpeechRegion>{region(5, 25), region(40, 43)});
}

TEST_CASE("speech regions: a short silence does not end speech, nor does doubt") {
  CHECK(find(blocks({{20, 0.9F}, {9, 0.1F}, {5, 0.9F}}), bare()) ==
        std::vector<SpeechRegion>{region(0, 34)});
  // Between the two thresholds (0.35 and 0.5) nothing changes.
  CHECK(find(blocks({{20, 0.9F}, {30, 0.4F}}), bare()) == std::vector<SpeechRegion>{region(0, 50)});
  CHECK(find(blocks({{20, 0.4F}}), bare()).empty());
}

TEST_CASE("speech regions: speech that is too short is dropped") {
  wnpu::audio::VadOptions options = bare();
  options.min_speech_duration_ms = 200;
  CHECK(find(blocks({{4, 0.9F}, {20, 0.0F}, {10, 0.9F}, {20, 0.0F}}), options) ==
        std::vector<SpeechRegion>{region(24, 34)});
}

TEST_CASE("speech regions: speech that is too long is cut at its last silence of 98 ms") {
  wnpu::audio::VadOptions options = bare();
  options.min_silence_duration_ms = 1e6;
  options.max_speech_duration_s = 101 * 512 / 16000.0;  // 100 blocks and the one that notices
  // Silence of 5 blocks (160 ms) at block 60; speech goes on at block 65.
  const auto found = find(blocks({{60, 0.9F}, {5, 0.0F}, {60, 0.9F}}), options);
  CHECK(found == std::vector<SpeechRegion>{region(0, 60), region(65, 125)});
  // Without silence it is cut where it is too long; the next block begins a new region.
  const auto hard = find(blocks({{150, 0.9F}}), options);
  REQUIRE(hard.size() == 2);
  CHECK(hard[0] == region(0, 101));
  CHECK(hard[1].start == 102 * kBlock);
}

TEST_CASE("speech regions: padding goes to both sides, and is shared where regions are near") {
  wnpu::audio::VadOptions options;
  options.speech_pad_ms = 64;  // 2 blocks
  const std::vector<SpeechRegion> speech = {region(5, 25), region(40, 45)};
  CHECK(pad_regions(speech, 56 * kBlock, options) ==
        std::vector<SpeechRegion>{region(3, 27), region(38, 47)});
  options.speech_pad_ms = 640;  // more than half the silence of 15 blocks
  const auto near = pad_regions(speech, 45 * kBlock, options);
  REQUIRE(near.size() == 2);
  CHECK(near[0].start == 0);
  CHECK(near[0].end == near[1].start);
  CHECK(near[1].end == 45 * kBlock);
}

TEST_CASE("speech regions: none in silence, and none without audio") {
  CHECK(find(blocks({{100, 0.01F}}), {}).empty());
  CHECK(find({}, {}).empty());
  CHECK(pad_regions({}, 100, {}).empty());
}

TEST_CASE("joined regions: as long as they fit and the gap is short") {
  const std::vector<SpeechRegion> regions = {{0, 10}, {12, 20}, {25, 30}, {90, 95}};
  CHECK(join_regions(regions, 30, 5) == std::vector<SpeechRegion>{{0, 30}, {90, 95}});
  CHECK(join_regions(regions, 25, 5) == std::vector<SpeechRegion>{{0, 20}, {25, 30}, {90, 95}});
  CHECK(join_regions(regions, 1000, 2) == std::vector<SpeechRegion>{{0, 20}, {25, 30}, {90, 95}});
  CHECK(join_regions({}, 30, 5).empty());
}

TEST_CASE("joined regions: a stretch that is full ends at its widest silence") {
  // Silences of 1, 4 and 3; the last region does not fit into 30 any more.
  const std::vector<SpeechRegion> regions = {{0, 10}, {11, 24}, {28, 30}, {33, 40}};
  CHECK(join_regions(regions, 30, 9) == std::vector<SpeechRegion>{{0, 24}, {28, 40}});
  // Not where that would leave it less than four fifths full.
  const std::vector<SpeechRegion> early = {{0, 10}, {16, 22}, {24, 30}, {33, 40}};
  CHECK(join_regions(early, 30, 9) == std::vector<SpeechRegion>{{0, 30}, {33, 40}});
  // A silence that ends a stretch anyway leaves it as it is.
  const std::vector<SpeechRegion> pause = {{0, 20}, {24, 30}, {50, 60}};
  CHECK(join_regions(pause, 30, 9) == std::vector<SpeechRegion>{{0, 30}, {50, 60}});
}

TEST_CASE("joined regions: nothing is lost, doubled, too long or out of order") {
  std::mt19937 random(7);
  std::uniform_int_distribution<std::size_t> length(1, 400);
  for (int round = 0; round < 200; ++round) {
    std::vector<SpeechRegion> regions;
    for (std::size_t at = length(random); regions.size() < 40; at += length(random)) {
      regions.push_back({at, at + length(random)});
      at = regions.back().end;
    }
    const auto joined = join_regions(regions, 1000, 300);
    std::size_t i = 0;
    for (const SpeechRegion& stretch : joined) {
      CHECK(stretch.end - stretch.start <= 1000);
      REQUIRE(i < regions.size());
      CHECK(stretch.start == regions[i].start);
      while (i < regions.size() && regions[i].end <= stretch.end) ++i;
      CHECK(stretch.end == regions[i - 1].end);
    }
    CHECK(i == regions.size());
  }
}
