// The diarizer with random weights: what it finds means nothing, but is always the same.
#include "audio/speakers/diarizer.h"

#include <algorithm>
#include <cmath>
#include <random>
#include <set>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "tests/audio/speakers/random_speaker_model.h"
#include "tests/few_samples.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;
using audio::SpeakerTurn;

namespace {

// Tones and noise that change every second or so.
std::vector<float> sounds(std::size_t seconds) {
  std::mt19937 random(5);
  std::vector<float> pcm;
  while (pcm.size() < seconds * 16000) {
    const double hertz = std::uniform_real_distribution<double>(80, 1500)(random);
    const double loudness = std::uniform_real_distribution<double>(0, 0.3)(random);
    std::normal_distribution<double> noise(0, 0.1 * loudness);
    const std::size_t n = std::uniform_int_distribution<std::size_t>(6000, 24000)(random);
    for (std::size_t i = 0; i < n; ++i) {
      const double phase = 6.2831853 * hertz * static_cast<double>(i) / 16000;
      pcm.push_back(static_cast<float>(loudness * std::sin(phase) + noise(random)));
    }
  }
  pcm.resize(seconds * 16000);
  return pcm;
}

std::vector<SpeakerTurn> turns_found(const audio::SpeakerModel& model, std::span<const float> pcm,
                                     std::size_t n_threads, std::size_t at_once,
                                     audio::SpeakerCount count = {3, 3}) {
  audio::Diarizer diarizer(model, count, n_threads);
  for (std::size_t i = 0; i < pcm.size(); i += at_once)
    diarizer.add(pcm.subspan(i, std::min(at_once, pcm.size() - i)));
  return diarizer.finish();
}

bool are_equal(const std::vector<SpeakerTurn>& a, const std::vector<SpeakerTurn>& b) {
  return std::ranges::equal(a, b, [](const SpeakerTurn& x, const SpeakerTurn& y) {
    return x.begin_s == y.begin_s && x.end_s == y.end_s && x.speaker == y.speaker;
  });
}

}  // namespace

TEST_CASE("diarizer: the same turns on any number of threads, however samples come") {
  const tests::TemporaryFolder dir;
  const audio::SpeakerModel model = tests::random_speaker_model(dir.path());
  const std::vector<float> pcm = sounds(tests::kFewSamples ? 12 : 90);
  const auto expected = turns_found(model, pcm, 1, pcm.size());
  REQUIRE(expected.size() > 1);
  CHECK(are_equal(turns_found(model, pcm, 2, 16000), expected));
  if (!tests::kFewSamples) CHECK(are_equal(turns_found(model, pcm, 4, 1001), expected));
  const double end = static_cast<double>(pcm.size()) / 16000;
  for (const SpeakerTurn& turn : expected) {
    CHECK(turn.begin_s >= 0);
    CHECK(turn.begin_s < turn.end_s);
    CHECK(turn.end_s <= end);
  }
}

TEST_CASE("diarizer: no more speakers than may be found") {
  const tests::TemporaryFolder dir;
  const audio::SpeakerModel model = tests::random_speaker_model(dir.path());
  const std::vector<float> pcm = sounds(tests::kFewSamples ? 10 : 40);
  for (const int most : {1, 2}) {
    CAPTURE(most);
    std::set<int> found;
    for (const SpeakerTurn& turn : turns_found(model, pcm, 2, pcm.size(), {1, most}))
      found.insert(turn.speaker);
    CHECK(!found.empty());
    CHECK(found.size() <= static_cast<std::size_t>(most));
  }
}
