// A file of any kind, opened as audio and read for as much as ten seconds.
#include <array>

#include "audio/read/error.h"
#include "audio/read/pcm_reader.h"
#include "tests/fuzz/input_folder.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace wnpu;
  static const fuzz::InputFolder folder(fuzz::kAudioBytes);
  folder.write(fuzz::as_text(data, size), {"input"});
  try {
    const auto reader = audio::open_pcm(audio::Input{folder.path() / "input", {}});
    std::array<float, 16000> second;
    for (int i = 0; i < 10 && reader->read(second) > 0; ++i) continue;
    reader->warnings();
  } catch (const audio::AudioError&) {
  }
  return 0;
}
