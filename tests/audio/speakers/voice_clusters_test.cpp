// Voices to speakers: properties, on voices that scatter around known directions.
#include "audio/speakers/voice_clusters.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <random>
#include <vector>

#include <doctest/doctest.h>

using namespace wnpu::audio;

namespace {

struct MadeVoices {
  std::vector<Voice> voices;
  std::vector<int> speakers;
};

MadeVoices made_voices(int n_speakers, int n_each, double scatter, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal;
  MadeVoices made;
  for (int s = 0; s < n_speakers; ++s) {
    EmbeddingNet::Embedding middle{};
    for (float& x : middle) x = static_cast<float>(normal(random));
    for (int i = 0; i < n_each; ++i) {
      Voice voice{middle, 2.0 + 0.01 * i};
      for (float& x : voice.embedding) x += static_cast<float>(scatter * normal(random));
      made.voices.push_back(voice);
      made.speakers.push_back(s);
    }
  }
  return made;
}

bool is_same_grouping(const std::vector<int>& a, const std::vector<int>& b) {
  std::map<int, int> forth, back;
  for (std::size_t i = 0; i < a.size(); ++i) {
    if (forth.emplace(a[i], b[i]).first->second != b[i]) return false;
    if (back.emplace(b[i], a[i]).first->second != a[i]) return false;
  }
  return a.size() == b.size();
}

int n_speakers_of(const std::vector<int>& speakers) {
  return speakers.empty() ? 0 : *std::ranges::max_element(speakers) + 1;
}

}  // namespace

TEST_CASE("voice clusters: speakers that are apart are found, however many") {
  for (int n = 1; n <= 8; ++n) {
    CAPTURE(n);
    const MadeVoices made = made_voices(n, 12, 0.4, static_cast<unsigned>(n));
    CHECK(is_same_grouping(cluster_voices(made.voices, {}), made.speakers));
  }
}

TEST_CASE("voice clusters: the order of voices does not matter, nor do duplicates") {
  const MadeVoices made = made_voices(4, 10, 0.6, 7);
  const std::vector<int> expected = cluster_voices(made.voices, {});
  std::vector<std::size_t> order(made.voices.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::mt19937 random(3);
  for (int round = 0; round < 5; ++round) {
    std::ranges::shuffle(order, random);
    std::vector<Voice> shuffled;
    std::vector<int> wanted;
    for (const std::size_t i : order) {
      shuffled.push_back(made.voices[i]);
      wanted.push_back(expected[i]);
    }
    CHECK(is_same_grouping(cluster_voices(shuffled, {}), wanted));
  }
  std::vector<Voice> twice = made.voices;
  twice.insert(twice.end(), made.voices.begin(), made.voices.end());
  std::vector<int> wanted = expected;
  wanted.insert(wanted.end(), expected.begin(), expected.end());
  CHECK(is_same_grouping(cluster_voices(twice, {}), wanted));
}

TEST_CASE("voice clusters: the number of speakers is kept to what was asked for") {
  const MadeVoices made = made_voices(3, 10, 0.5, 11);
  for (int n = 1; n <= 6; ++n) {
    CAPTURE(n);
    CHECK(n_speakers_of(cluster_voices(made.voices, {n, n})) == n);
  }
  CHECK(n_speakers_of(cluster_voices(made.voices, {1, 2})) == 2);
  CHECK(n_speakers_of(cluster_voices(made.voices, {5, 8})) == 5);
  CHECK(n_speakers_of(cluster_voices(made.voices, {2, 4})) == 3);
}

TEST_CASE("voice clusters: a few short voices found no speaker, and join one") {
  MadeVoices made = made_voices(2, 10, 0.4, 5);
  const MadeVoices other = made_voices(1, 2, 0.4, 99);
  for (Voice voice : other.voices) {
    voice.seconds = 0.5;
    made.voices.push_back(voice);
  }
  CHECK(n_speakers_of(cluster_voices(made.voices, {})) == 2);
}

TEST_CASE("voice clusters: clusters whose mean voices are near are one speaker") {
  // Voices scatter more than clusters may, but around one direction.
  const MadeVoices made = made_voices(2, 20, 1.05, 21);
  ClusterRules rules;
  rules.least_mean_cosine = 1;
  CHECK(n_speakers_of(cluster_voices(made.voices, {}, rules)) > 2);
  CHECK(is_same_grouping(cluster_voices(made.voices, {}), made.speakers));
}

TEST_CASE("voice clusters: nobody, one voice, more voices than are compared") {
  CHECK(cluster_voices({}, {}).empty());
  const MadeVoices one = made_voices(1, 1, 0.1, 1);
  CHECK(cluster_voices(one.voices, {3, 5}) == std::vector<int>{0});
  const MadeVoices many = made_voices(3, 40, 0.4, 2);
  ClusterRules rules;
  rules.most_compared = 30;
  CHECK(is_same_grouping(cluster_voices(many.voices, {}, rules), many.speakers));
}
