// Decoders that turn an input's bytes into samples: libsndfile, libav, or plain arithmetic for
// headerless PCM. Nothing outside pcm_reader needs to know which.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "audio/read/input_file.h"

namespace wnpu::audio {

// The input as it was found, at its beginning.
struct PcmInfo {
  std::string format;  // "WAV", "FLAC", "mov,mp4,m4a,...", "s16le": as the decoding library says
  int channels = 0;
  int sample_rate = 0;  // Hz
};

// Sample layout of a block, in libav's terms, of which only numbers are needed here. It may change
// from block to block (joined files, broadcasts).
struct PcmLayout {
  int sample_format = 0;       // AVSampleFormat, planar or interleaved
  int channels = 0;            // 1 to kMaxChannels
  int sample_rate = 0;         // Hz
  std::uint64_t speakers = 0;  // AV_CH_... bits in the order of the channels; 0: not named

  bool operator==(const PcmLayout&) const = default;
};

// Frames as they were stored or decoded, neither mixed nor resampled.
struct PcmBlock {
  PcmLayout layout;
  std::size_t n_frames = 0;
  const std::uint8_t* const* planes = nullptr;  // one a channel where planar, else one
  // By the container, from its beginning on; none: it stores no times, or has none of this.
  std::optional<double> begin_s = std::nullopt;
};

class Decoder {
 public:
  virtual ~Decoder() = default;

  virtual const PcmInfo& info() const = 0;
  // The next frames, valid until the next call; no frames: the end. Throws AudioError.
  virtual PcmBlock next() = 0;
  // Faults that were not fatal ("expected 16000 samples by the header, found ..."), without the
  // input's name; complete once next() gave no frames.
  virtual const std::vector<std::string>& warnings() const = 0;
};

// A decoder, or the reason for which the library will not have the file.
struct Opened {
  std::unique_ptr<Decoder> decoder;
  std::string refusal;
  std::vector<std::string> warnings;  // what was seen of a file that was refused
};

// Mono and stereo files of the formats that libsndfile reads well.
Opened open_sndfile(const InputFile& file);
// Everything else: libavformat and libavcodec. `warnings`: what is known already; libav does not
// tell a WAV that is cut short.
Opened open_libav(const InputFile& file, const std::vector<std::string>& warnings = {});
// How the bytes are to be read is not in them. `warnings`: what is known already.
std::unique_ptr<Decoder> open_raw(const InputFile& file, const RawFormat& format,
                                  std::vector<std::string> warnings = {});

// To three places behind the point, without zeros at the end: "76.6", "11", "nan".
std::string number_text(double value);

// Whether a header's number of bytes of samples is one of those that programs write to a pipe,
// before they know how many there will be: 0, 0xFFFFFFFF (ffmpeg), 0x7FFFF000 less what is not a
// whole frame (sox). `frame`: bytes of one.
bool is_streamed_size(std::uint64_t n_bytes, std::uint64_t frame);

// Whether an Ogg file is several, one behind the other.
bool is_chained_ogg(InputFile& file);

// Throws AudioError unless `file` is to be read from one of its `n_tracks` audio tracks.
void check_track(const InputFile& file, std::size_t n_tracks);

// Throws AudioError unless 1 <= channels <= kMaxChannels and the rate is believable.
void check_info(const PcmInfo& info, const std::string& name);

}  // namespace wnpu::audio
