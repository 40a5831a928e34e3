// The Silero network with its real weights, where app/quickstart.sh has put them.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "audio/pcm_reader.h"
#include "audio/silero_vad.h"
#include "audio/vad_thread.h"
#include "models/error.h"
#include "tests/random_matrix.h"
#include "tests/shared_data.h"
#include "tests/tiny_en.h"

using namespace wnpu;  // NOLINT

namespace {

std::optional<std::filesystem::path> weights() {
  const auto model = tests::tiny_en_dir();
  if (!model) return std::nullopt;
  const auto path = model->parent_path() / "silero_vad/silero_vad_16k.safetensors";
  if (std::filesystem::exists(path)) return path;
  MESSAGE("SKIP: " << path << " is not there; app/quickstart.sh fetches it");
  return std::nullopt;
}

std::vector<float> probabilities(const std::filesystem::path& path, std::span<const float> samples,
                                 std::size_t at_once) {
  audio::SileroVad vad(path);
  for (std::size_t i = 0; i < samples.size(); i += at_once) {
    vad.push(samples.subspan(i, std::min(at_once, samples.size() - i)));
  }
  return vad.finish();
}

}  // namespace

TEST_CASE("silero vad: silence and noise are no speech, however the samples come") {
  const auto path = weights();
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
  const auto path = weights();
  const auto jfk = tests::shared_file("corpus/jfk.wav");
  if (!path || !jfk) return;
  const auto reader = audio::open_pcm(audio::Input{*jfk, {}});
  std::vector<float> samples(12 * 16000);
  std::size_t n = 0;
  for (std::size_t got = 1; got > 0; n += got) got = reader->read(std::span(samples).subspan(n));
  const auto found = probabilities(*path, std::span(samples).first(n), 16000);
  const auto speech = std::count_if(found.begin(), found.end(), [](float p) { return p >= 0.5F; });
  CHECK(speech == 233);  // as a NumPy version of the network finds with the same weights
  CHECK(found[3] == doctest::Approx(0.069827).epsilon(1e-3));
  CHECK(found[10] == doctest::Approx(0.645603).epsilon(1e-3));
}

TEST_CASE("silero vad: an STFT that is not the one computed is refused") {
  const auto path = weights();
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
  const auto path = weights();
  if (!path) return;
  const auto samples = tests::random_vector(40 * 16000, 3, 0.1);
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
