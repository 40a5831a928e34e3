// Audio files for the audio tests: bytes or samples written to a temporary file, removed at the
// end.
#pragma once

#include <filesystem>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "audio/read/input.h"

namespace wnpu::tests {

class TempFile {
 public:
  // A file of these bytes.
  explicit TempFile(const std::string& bytes, const std::string& suffix = ".bin");
  ~TempFile();
  TempFile(const TempFile&) = delete;
  TempFile& operator=(const TempFile&) = delete;

  const std::filesystem::path& path() const { return path_; }
  audio::Input input() const { return {path_, std::nullopt}; }

 private:
  std::filesystem::path path_;
};

// Interleaved samples, full scale 1.0.
struct Sound {
  int sample_rate = 16000;
  int channels = 1;
  std::vector<float> samples;
};

// `seconds` of a sine in every channel.
Sound sine(int sample_rate, int channels, double hz, double seconds);

// Bytes that libsndfile writes for `sound`; `format` is SF_FORMAT_... | SF_FORMAT_... . `layout`:
// the channel map (SF_CHANNEL_MAP_...), or empty.
std::string encode(const Sound& sound, int format, std::span<const int> layout = {});

// A 16-bit mono WAV with whatever is to be said in its header, and `samples` samples.
struct WavHeader {
  unsigned format_tag = 1;
  unsigned channels = 1;
  unsigned sample_rate = 16000;
  unsigned bits = 16;
  unsigned riff_bytes = 36;
  unsigned data_bytes = 0;
};
std::string wav_bytes(const WavHeader& header, const std::string& data);

// All of an input, in blocks of `block`, with its warnings.
struct Decoded {
  std::vector<float> samples;
  std::vector<std::string> warnings;
};
Decoded decode_all(const audio::Input& input, std::size_t block = 1000);

// Output of ffmpeg to stdout with these arguments, such as "-f lavfi -i sine -f mp3 -"; if it
// fails, so does a check.
std::string ffmpeg_output(const std::string& arguments);
// Samples that openai-whisper gets from ffmpeg for a file, or for one audio track of it ("0:a:1").
std::string ffmpeg_s16(const std::filesystem::path& path, const std::string& map = "");

// Samples of full scale 1.0 as 16-bit little-endian PCM.
std::string s16_bytes(std::span<const float> samples);

// Whether 16-bit samples are the same, bit for bit. But for x86-64 a step apart will do: there
// libswresample's vector code rounds halves up, and what it leaves of a block is rounded to even,
// so that samples depend on where blocks end.
bool same_samples(std::string_view ours, std::string_view theirs);

// The message of the AudioError that f throws; "" where it throws none.
std::string audio_error_of(const std::function<void()>& f);

}  // namespace wnpu::tests
