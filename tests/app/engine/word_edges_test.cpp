// Sound and silence around words.
#include "app/engine/align/word_edges.h"

#include <string>
#include <string_view>
#include <utility>

#include <doctest/doctest.h>

using namespace wnpu;  // NOLINT

namespace {

// A window whose frames are loud ('#'), 30 dB below that ('.'), or 10 dB below it ('+').
app::Sound sound_of(std::string_view frames) {
  models::LogMel mel;
  mel.values = models::Matrix(2, 3000);
  for (std::size_t i = 0; i < frames.size(); ++i) {
    const float level = frames[i] == '#' ? 1.0F : frames[i] == '+' ? 0.75F : 0.25F;
    mel.values.row(0)[i] = mel.values.row(1)[i] = level;
  }
  app::Sound sound;
  sound.hear(mel, frames.size());
  return sound;
}

const std::string kSilence(16, '.');
const std::string kStop(15, '.');

using SoundEdges = std::pair<std::size_t, std::size_t>;

}  // namespace

TEST_CASE("word edges: long silence before and behind a word is none of it") {
  CHECK(sound_of(kSilence + "####" + kSilence).of(0, 36) == SoundEdges{16, 20});
  CHECK(sound_of(kSilence + "####").of(10, 20) == SoundEdges{10, 20});
  CHECK(sound_of("##++" + kSilence).of(0, 20) == SoundEdges{0, 4});
}

TEST_CASE("word edges: short silence belongs to the word") {
  CHECK(sound_of(kStop + "####" + kStop).of(0, 34) == SoundEdges{0, 34});
  CHECK(sound_of("##" + kStop + "##").of(0, 19) == SoundEdges{0, 19});
}

TEST_CASE("word edges: the longest of several parts") {
  CHECK(sound_of("##" + kSilence + "####" + kSilence + "###").of(0, 41) == SoundEdges{18, 22});
  CHECK(sound_of("####" + kSilence + "##").of(0, 22) == SoundEdges{0, 4});
}

TEST_CASE("word edges: silence alone and what is behind the window are kept in bounds") {
  const app::Sound sound = sound_of(std::string(50, '#') + kSilence);
  CHECK(sound.of(50, 66) == SoundEdges{50, 66});
  CHECK(sound.of(60, 500) == SoundEdges{60, 66});
  CHECK(sound.of(70, 80) == SoundEdges{70, 70});
  CHECK(sound.count(40, 500) == 10);
  CHECK(sound.count(80, 90) == 0);
  CHECK(app::Sound().of(3, 5) == SoundEdges{3, 3});
}
