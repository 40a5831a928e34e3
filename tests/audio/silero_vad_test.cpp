// The Silero network with its real weights, where app/quickstart.sh has put them.
#include "audio/vad/silero_vad.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "audio/vad/hann_stft.h"
#include "audio/vad/vad_thread.h"
#include "models/base/error.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/fetched_files.h"
#include "tests/support/random_matrix.h"
#include "tests/support/real_speech.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT

namespace {

std::vector<float> probabilities(const std::filesystem::path& path, std::span<const float> samples,
                                 std::size_t at_once) {
  audio::SileroVad vad(path);
  for (std::size_t i = 0; i < samples.size(); i += at_once) {
    vad.push(samples.subspan(i, std::min(at_once, samples.size() - i)));
  }
  return vad.finish();
}

// A network of random weights but for the STFT, which is as it must be.
std::vector<tests::StTensor> random_network() {
  constexpr std::size_t kBins = audio::HannStft::kBins;
  constexpr std::size_t kSize = audio::HannStft::kSize;
  const std::vector<std::pair<std::string, std::vector<std::size_t>>> shapes = {
      {"stft_conv.weight", {2 * kBins, 1, kSize}},
      {"conv1.weight", {128, kBins, 3}},
      {"conv1.bias", {128}},
      {"conv2.weight", {64, 128, 3}},
      {"conv2.bias", {64}},
      {"conv3.weight", {64, 64, 3}},
      {"conv3.bias", {64}},
      {"conv4.weight", {128, 64, 3}},
      {"conv4.bias", {128}},
      {"lstm_cell.weight_ih", {512, 128}},
      {"lstm_cell.weight_hh", {512, 128}},
      {"lstm_cell.bias_ih", {512}},
      {"lstm_cell.bias_hh", {512}},
      {"final_conv.weight", {1, 128, 1}},
      {"final_conv.bias", {1}}};
  std::vector<tests::StTensor> network;
  for (const auto& [name, shape] : shapes) {
    std::size_t n = 1;
    for (const std::size_t extent : shape) n *= extent;
    std::vector<float> values = tests::random_vector(n, 5, 0.1);
    for (std::size_t i = 0; name == "stft_conv.weight" && i < n / 2; ++i) {
      const auto [re, im] = audio::HannStft::weight(i / kSize, i % kSize);
      values[i] = static_cast<float>(re);
      values[n / 2 + i] = static_cast<float>(im);
    }
    network.push_back({name, "F32", shape, tests::encode(models::DType::f32, values)});
  }
  return network;
}

}  // namespace

TEST_CASE("silero vad: silence and noise are no speech, however the samples come") {
  const auto path = tests::silero_weights();
  if (!path) return;
  const std::vector<float> silence(40000, 0.0F);
  const auto found = probabilities(*path, silence, 40000);
  CHECK(found.size() == (40000 + 511) / 512);
  for (const float p : found) CHECK(p < 0.35F);
  const auto noise = tests::random_vector(48000, 3, 0.1);
  const auto whole = probabilities(*path, noise, 48000);
  for (const float p : whole) CHECK(p < 0.5F);
  CHECK(probabilities(*path, noise, 700) == whole);
}

TEST_CASE("silero vad: finds the speech of jfk.wav, and its pauses") {
  const auto path = tests::silero_weights();
  const auto jfk = tests::jfk_wav();
  if (!path || !jfk) return;
  const auto found = probabilities(*path, tests::samples_of(*jfk), 16000);
  const auto speech = std::count_if(found.begin(), found.end(), [](float p) { return p >= 0.5F; });
  CHECK(speech == 233);  // as a NumPy version of the network finds with the same weights
  CHECK(found[3] == doctest::Approx(0.069827).epsilon(1e-3));
  CHECK(found[10] == doctest::Approx(0.645603).epsilon(1e-3));
}

TEST_CASE("silero vad: an STFT that is not the one computed is refused") {
  const auto path = tests::silero_weights();
  if (!path) return;
  std::ifstream in(*path, std::ios::binary);
  std::string bytes{std::istreambuf_iterator<char>(in), {}};
  std::uint64_t header = 0;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::string offsets = "\"data_offsets\":[";
  const std::size_t at = bytes.find(offsets, bytes.find("stft_conv.weight"));
  REQUIRE(at < header);
  const std::size_t first = std::stoul(bytes.substr(at + offsets.size()));
  const float other = 0.25F;
  std::memcpy(&bytes[sizeof header + header + first + 300 * sizeof other], &other, sizeof other);
  const auto changed = std::filesystem::temp_directory_path() / "wnpu_other_stft.safetensors";
  std::ofstream(changed, std::ios::binary) << bytes;
  CHECK_THROWS_WITH_AS(audio::SileroVad{changed},
                       doctest::Contains("expected a DFT under a Hann window"), models::ModelError);
  std::filesystem::remove(changed);
}

TEST_CASE("vad thread: finds what the detector finds, beside the reader or not, file after file") {
  const auto path = tests::silero_weights();
  if (!path) return;
  const auto samples = tests::random_vector((tests::kFewSamples ? 10 : 40) * 16000, 3, 0.1);
  const auto expected = probabilities(*path, samples, samples.size());
  for (const bool beside : {true, false}) {
    audio::VadThread vad(*path, beside);
    for (int file = 0; file < 2; ++file) {
      vad.start();
      for (std::size_t i = 0; i < samples.size(); i += 16000)
        vad.push(std::span(samples).subspan(i, 16000));
      CHECK(vad.finish() == expected);
      vad.start();
      vad.push(std::span(samples).first(9 * 16000));  // given up
    }
  }
}

TEST_CASE("silero vad: another file of weights is refused by name") {
  const auto path = std::filesystem::temp_directory_path() / "wnpu_no_vad.safetensors";
  std::ofstream(path) << "text, not weights";
  CHECK_THROWS_AS(audio::SileroVad{path}, models::ModelError);
  std::filesystem::remove(path);
  CHECK_THROWS_AS(audio::SileroVad{path}, models::ModelError);
}

TEST_CASE("silero vad: weights that are no numbers are refused by name, all others run") {
  using Limits = std::numeric_limits<float>;
  const tests::TemporaryFolder folder;
  const auto samples = tests::random_vector(8000, 3, 0.1);
  const std::vector<tests::StTensor> network = random_network();
  for (std::size_t t = 0; t < network.size(); ++t) {
    INFO(network[t].name);
    const auto path_with = [&](std::vector<float> values) {
      std::vector<tests::StTensor> changed = network;
      const std::string bytes = tests::encode(models::DType::f32, values);
      for (std::size_t at = 0; at < changed[t].bytes.size(); at += bytes.size())
        changed[t].bytes.replace(at, bytes.size(), bytes);
      return folder.make_file("vad.safetensors", tests::safetensors_bytes(changed));
    };
    for (const float value : {Limits::quiet_NaN(), Limits::infinity(), -Limits::infinity()}) {
      CHECK_THROWS_WITH_AS(audio::SileroVad{path_with({value})},
                           doctest::Contains((network[t].name + ": expected").c_str()),
                           models::ModelError);
    }
    if (network[t].name == "stft_conv.weight") continue;  // there only one set of weights will do
    for (const float value : {0.0F, Limits::denorm_min(), Limits::max(), Limits::lowest()}) {
      CHECK(probabilities(path_with({value}), samples, samples.size()).size() == 16);
    }
  }
}
