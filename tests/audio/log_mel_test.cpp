#include "audio/mel/log_mel.h"

#include <algorithm>

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include "tests/support/audio_files.h"
#include "tests/support/difference.h"
#include "tests/support/fetched_files.h"
#include "tests/support/mel_reference.h"
#include "tests/support/random_matrix.h"
#include "tests/support/reference_data.h"
#include "tests/support/tolerances.h"

using namespace wnpu;
using namespace wnpu::tests;

namespace {

// log10 power of the first `n_frames` frames (a multiple of the group), [n_mels, n_frames].
models::Matrix frames_of(std::span<const float> samples, std::size_t n_mels, std::size_t n_frames,
                         std::size_t block) {
  audio::LogMelStream stream(n_mels);
  models::Matrix frames(n_mels, n_frames);
  std::size_t done = 0;
  const auto pop = [&] {
    while (stream.has_group() && done < n_frames) {
      stream.pop_group(frames.view().col_range(done, audio::kGroupFrames));
      done += audio::kGroupFrames;
    }
  };
  for (std::size_t at = 0; at < samples.size(); at += block) {
    stream.push(samples.subspan(at, std::min(block, samples.size() - at)));
    pop();
  }
  stream.finish();
  pop();
  CHECK(done == n_frames);
  return frames;
}

// The largest difference to the fp64 reference over `n_frames` frames, in normalised units.
double worst_difference(std::span<const float> samples, std::size_t n_mels, std::size_t n_frames) {
  const auto frames = frames_of(samples, n_mels, n_frames, 1000);
  double worst = 0;
  for (std::size_t f = 0; f < n_frames; ++f) {
    const auto expected = reference_log_mel(samples, n_mels, f);
    for (std::size_t m = 0; m < n_mels; ++m) {
      const auto found = static_cast<double>(frames.view().row(m)[f]);
      worst = std::max(worst, std::abs(found - expected[m]) / 4);
    }
  }
  return worst;
}

// Against openai-whisper's [n_mels, 3000], whose first `content` frames are of `samples`.
double golden_difference(const std::string& name, std::span<const float> samples,
                         std::size_t content) {
  const auto golden = data_matrix("jfk/" + name + ".npy");
  const std::size_t n_mels = golden.rows();
  const std::size_t n_frames = samples.size() / 160 / 16 * 16 + 16;
  const auto frames = frames_of(samples, n_mels, n_frames, 16000);
  const float maximum = *std::max_element(frames.flat().begin(), frames.flat().end());
  models::Matrix window(n_mels, 3000);
  for (std::size_t m = 0; m < n_mels; ++m) {
    audio::normalise(frames.row(m).first(content), maximum, window.row(m).first(content));
  }
  return max_abs_difference(every_column(window.view(), kEveryFrame).flat(), golden.flat());
}

}  // namespace

TEST_CASE("log_mel: equals fp64 from the definition, on noise") {
  const auto samples = random_vector(4077, 21, 0.5);
  CHECK(worst_difference(samples, 80, 32) < tolerance::kLogMelNoise);
  CHECK(worst_difference(samples, 128, 32) < tolerance::kLogMelNoise);
}

TEST_CASE("log_mel: audio shorter than the reflect padding is followed by silence first") {
  for (const std::size_t n : {1U, 100U, 199U, 200U, 201U, 202U}) {
    CAPTURE(n);
    CHECK(worst_difference(random_vector(n, n, 0.5), 80, 16) < tolerance::kLogMelNoise);
  }
}

TEST_CASE("log_mel: silence is at the floor") {
  const std::vector<float> silence(4000, 0.0F);
  const auto frames = frames_of(silence, 80, 32, 4000);
  for (const float v : frames.flat()) CHECK(v == -10.0F);
}

TEST_CASE("log_mel: the same bits whatever the blocks") {
  const auto samples = random_vector(9001, 5, 0.5);
  const auto whole = frames_of(samples, 80, 64, 9001);
  for (const std::size_t block : {1U, 7U, 160U, 2800U}) {
    const auto pieces = frames_of(samples, 80, 64, block);
    CHECK(std::ranges::equal(whole.flat(), pieces.flat()));
  }
}

TEST_CASE("log_mel: the same bits for a frame in any place of a group") {
  const auto samples = random_vector(16000, 6, 0.5);
  const auto whole = frames_of(samples, 80, 96, 16000);
  const auto later = frames_of(std::span(samples).subspan(800), 80, 80, 16000);
  // The first two frames of `later` lie under its reflect padding.
  for (std::size_t m = 0; m < 80; ++m) {
    CHECK(std::ranges::equal(whole.row(m).subspan(7, 70), later.row(m).subspan(2, 70)));
  }
}

TEST_CASE("log_mel: every instruction set of this machine gives the same, to rounding") {
  const auto samples = random_vector(8000, 9, 0.5);
  const auto best = frames_of(samples, 80, 48, 8000);
  int n_targets = 0;
  for (std::int64_t left = hwy::SupportedTargets(); left != 0; left &= left - 1) {
    const std::int64_t target = left & -left;
    CAPTURE(hwy::TargetName(target));
    hwy::SetSupportedTargetsForTest(target);
    const auto frames = frames_of(samples, 80, 48, 8000);
    hwy::SetSupportedTargetsForTest(0);
    CHECK(max_abs_difference(frames.flat(), best.flat()) / 4 < tolerance::kLogMelNoise);
    ++n_targets;
  }
  CHECK(n_targets > 1);
}

TEST_CASE("log_mel: the clamp and scale of openai-whisper") {
  const float log10_power[] = {2.0F, -6.0F, -6.5F, -10.0F};
  float out[4] = {};
  audio::normalise(log10_power, 2.0F, out);
  CHECK(out[0] == 1.5F);
  CHECK(out[1] == -0.5F);
  CHECK(out[2] == -0.5F);
  CHECK(out[3] == -0.5F);
}

TEST_CASE("log_mel: matches openai-whisper on jfk") {
  const auto jfk = jfk_wav();
  if (!jfk) return;
  auto samples = decode_all({*jfk, {}}).samples;
  CHECK(golden_difference("log_mel_80", samples, 1100) < tolerance::kLogMelGolden);
  CHECK(golden_difference("log_mel_128", samples, 1100) < tolerance::kLogMelGolden);
  samples.resize(480000);
  CHECK(golden_difference("log_mel_80_padded_audio", samples, 3000) < tolerance::kLogMelGolden);
}
