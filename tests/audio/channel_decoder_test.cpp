// One channel of several is that channel's recording alone, sample for sample.
#include <cmath>
#include <cstring>
#include <optional>
#include <string>

#include <doctest/doctest.h>

#include "audio/read/pcm_reader.h"
#include "tests/support/random_matrix.h"

using namespace wnpu;  // NOLINT

namespace {

std::vector<float> read_channel(const std::string& bytes, const std::string& format,
                                std::optional<std::size_t> channel) {
  audio::Input input;
  input.memory = std::as_bytes(std::span(bytes));
  input.raw_format = audio::parse_raw_format(format);
  const audio::InputFile file(input);
  const auto reader = audio::open_pcm(channel ? file.of_channel(*channel) : file.duplicate());
  std::vector<float> samples(40000);
  std::size_t n = 0;
  while (const std::size_t more = reader->read(std::span(samples).subspan(n))) n += more;
  samples.resize(n);
  return samples;
}

}  // namespace

TEST_CASE("one channel is the recording of that channel alone") {
  for (const std::string type : {"u8", "s16le", "s24le", "f32le", "f64be", "mulaw"}) {
    for (const std::string rate : {"16000", "44100"}) {
      CAPTURE(type);
      CAPTURE(rate);
      const audio::RawFormat format = audio::parse_raw_format(type + ":" + rate + ":1");
      const std::size_t bytes = audio::bytes_per_sample(format.format);
      std::vector<std::string> channels(3);
      std::string all;
      const auto noise = tests::random_vector(3 * 5000, 7, 0.3);
      for (std::size_t i = 0; i < noise.size(); ++i) {
        std::string sample(bytes, '\0');
        if (type == "f32le") {
          std::memcpy(sample.data(), &noise[i], bytes);
        } else if (type != "f64be") {  // whose random bytes are no numbers of this size
          for (char& byte : sample) byte = static_cast<char>(std::lround(noise[i] * 100) + byte);
        } else {
          sample[0] = 0x3F;
          sample[1] = static_cast<char>(0xA0 + i % 16);
        }
        channels[i % 3] += sample;
        all += sample;
      }
      for (std::size_t c = 0; c < 3; ++c) {
        const auto alone = read_channel(channels[c], type + ":" + rate + ":1", std::nullopt);
        CHECK_FALSE(alone.empty());
        CHECK(read_channel(all, type + ":" + rate + ":3", c) == alone);
      }
    }
  }
}

TEST_CASE("a channel that is not there is silence") {
  const std::string bytes(32000, '\x33');
  for (const float sample : read_channel(bytes, "u8:16000:1", 1)) CHECK(sample == 0);
  CHECK(read_channel(bytes, "u8:16000:1", 1).size() == 32000);
}
