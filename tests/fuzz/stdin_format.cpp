// The first line as the value of --stdin-format, the rest as such samples.
#include <algorithm>
#include <array>

#include "audio/read/error.h"
#include "audio/read/pcm_reader.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kAudioBytes);
  const std::string_view text = fuzz::as_text(data, size);
  const std::size_t end = std::min(text.find('\n'), text.size());
  try {
    const audio::RawFormat format = audio::parse_raw_format(text.substr(0, end));
    folder.write(text.substr(std::min(end + 1, text.size())), {"samples"});
    if (!std::filesystem::exists(folder.path() / "samples")) return 0;
    const auto reader = audio::open_pcm(audio::Input{folder.path() / "samples", format});
    std::array<float, 16000> second;
    for (int i = 0; i < 2 && reader->read(second) > 0; ++i) continue;
  } catch (const audio::AudioError&) {
  }
  return 0;
}
