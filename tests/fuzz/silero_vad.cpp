// The weights of the Silero VAD, then a second of sound through them.
#include "audio/vad/silero_vad.h"

#include <fstream>
#include <string>
#include <vector>

#include "audio/vad/hann_stft.h"
#include "models/base/error.h"
#include "tests/fuzz/input_folder.h"

namespace {

using wnpu::audio::HannStft;

// In the input for the STFT's weights, the one tensor whose values the reader checks.
constexpr std::string_view kStft = "\xF5S";

std::string stft_weights() {
  std::vector<float> re, im;
  for (std::size_t k = 0; k < HannStft::kBins; ++k) {
    for (std::size_t n = 0; n < HannStft::kSize; ++n) {
      const HannStft::Weight weight = HannStft::weight(k, n);
      re.push_back(static_cast<float>(weight.re));
      im.push_back(static_cast<float>(weight.im));
    }
  }
  re.insert(re.end(), im.begin(), im.end());
  return {reinterpret_cast<const char*>(re.data()), re.size() * sizeof(float)};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kLargeModelBytes);
  static const std::string stft = stft_weights();
  std::string bytes = fuzz::written_out(fuzz::as_text(data, size), fuzz::kLargeModelBytes);
  const std::size_t at = bytes.find(kStft);
  if (at != bytes.npos) bytes.replace(at, kStft.size(), stft);
  const std::filesystem::path file = folder.path() / "vad.safetensors";
  std::ofstream(file, std::ios::binary) << bytes;
  try {
    audio::SileroVad vad(file);
    vad.push(std::vector<float>(16000, 0.5F));
    vad.finish();
  } catch (const models::ModelError&) {
  }
  return 0;
}
