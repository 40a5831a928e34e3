// What turns an input's bytes into samples: libsndfile, libav, or plain arithmetic for headerless
// PCM. Nothing outside pcm_reader needs to know which.
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "audio/input_file.h"

namespace wnpu::audio {

// The input as it was found.
struct PcmInfo {
  std::string format;  // "WAV", "FLAC", "mov,mp4,m4a,...", "s16le": as the decoding library says
  int channels = 0;
  int sample_rate = 0;  // Hz
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual const PcmInfo& info() const = 0;
  // Mono samples at info().sample_rate, full scale 1.0. 0 is the end. Throws AudioError.
  virtual std::size_t read(std::span<float> mono) = 0;
  // What was odd but not fatal ("the header claims ..."); complete once read() gave 0.
  virtual const std::vector<std::string>& warnings() const = 0;
};

// A decoder, or the reason for which the library will not have the file.
struct Opened {
  std::unique_ptr<Decoder> decoder;
  std::string refusal;
};

// Mono and stereo files of the formats that libsndfile reads well.
Opened open_sndfile(const InputFile& file);
// Everything else: libavformat and libavcodec.
Opened open_libav(const InputFile& file);
// file.raw_format() says how the bytes are to be read.
std::unique_ptr<Decoder> open_raw(const InputFile& file);

// Throws AudioError unless 1 <= channels <= kMaxChannels and the rate is believable.
void check_info(const PcmInfo& info, const std::string& name);

// The mean of the channels; interleaved.size() = channels * mono.size(). As `ffmpeg -ac 1` does for
// stereo (gains 0.5 and 0.5).
void average_channels(std::span<const float> interleaved, std::span<float> mono);

}  // namespace wnpu::audio
