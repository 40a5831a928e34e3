#include "audio/read/stream_decoder.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cstdint>
#include <limits>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "audio/read/error.h"
#include "audio/read/raw_samples.h"

namespace wnpu::audio {
namespace {

constexpr std::uint64_t kNoEnd = std::numeric_limits<std::uint64_t>::max();
// Most bytes of headers in front of the samples (pictures, tags): with more, this is no WAV that is
// worth waiting for.
constexpr std::uint64_t kMostHeader = std::uint64_t{16} << 20;

// For what has to be decoded as a whole.
constexpr const char* kAdvice =
    ": of other formats the samples cannot be had as they come; decode them before, with ffmpeg "
    "-i - -f s16le -ac 1 -ar 16000 -";

struct StreamFormat {
  RawFormat samples;
  std::uint64_t speakers = 0;
  std::uint64_t n_bytes = kNoEnd;  // of samples
  std::string name;                // of the format
};

class HeaderReader {
 public:
  HeaderReader(const ByteSource& source, const std::string& name) : source_(source), name_(name) {}

  // Reads to the first sample.
  StreamFormat read();

 private:
  std::vector<std::byte> take(std::size_t n);
  void check_magic();
  void take_format(std::uint64_t n);
  void take_long_sizes(std::uint64_t n);
  std::uint64_t n_sample_bytes(std::uint64_t n) const;
  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw AudioError(name_ + ": expected " + expected + ", found " + found);
  }

  const ByteSource& source_;
  const std::string& name_;
  std::uint64_t n_read_ = 0;
  bool is_rf64_ = false;
  std::uint64_t long_size_ = 0;  // of the samples of RF64; 0: not known
  std::optional<StreamFormat> format_;
};

std::string text(std::span<const std::byte> bytes) {
  std::string chars;
  for (const std::byte byte : bytes) chars += std::to_integer<char>(byte);
  return chars;
}

// Tag of the samples' type (1: integers, 3: floating point, 6: A-law, 7: mu-law) and bits of each.
std::optional<SampleFormat> stream_format(std::uint64_t tag, std::uint64_t bits) {
  if (tag == 1 && bits == 8) return SampleFormat::u8;
  if (tag == 1 && bits == 16) return SampleFormat::s16le;
  if (tag == 1 && bits == 24) return SampleFormat::s24le;
  if (tag == 1 && bits == 32) return SampleFormat::s32le;
  if (tag == 3 && bits == 32) return SampleFormat::f32le;
  if (tag == 3 && bits == 64) return SampleFormat::f64le;
  if (tag == 6 && bits == 8) return SampleFormat::alaw;
  if (tag == 7 && bits == 8) return SampleFormat::mulaw;
  return std::nullopt;
}

std::vector<std::byte> HeaderReader::take(std::size_t n) {
  std::vector<std::byte> bytes(n);
  std::size_t done = 0;
  while (done < n) {
    const std::size_t got = source_(std::span(bytes).subspan(done));
    if (got == 0 || got == kStopped)
      fail("a WAV header", "the end after " + std::to_string(n_read_ + done) + " bytes");
    done += got;
  }
  n_read_ += n;
  if (n_read_ > kMostHeader) fail("samples", "none in the first 16 MB");
  return bytes;
}

void HeaderReader::check_magic() {
  const auto start = take(4);
  is_rf64_ = text(start) == "RF64" || text(start) == "BW64";
  if (is_rf64_ || text(start) == "RIFF") {
    const auto kind = take(8);
    if (text(std::span(kind).subspan(4)) != "WAVE") fail("RIFF of the kind WAVE", "another kind");
    return;
  }
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string hex;
  for (const std::byte byte : start) {
    hex += kDigits[std::to_integer<std::size_t>(byte) >> 4];
    hex += kDigits[std::to_integer<std::size_t>(byte) & 15];
  }
  fail("WAV, or raw samples with --stdin-format", "bytes " + hex + kAdvice);
}

// The chunk "fmt ".
void HeaderReader::take_format(std::uint64_t n) {
  constexpr std::uint64_t kExtensible = 0xFFFE;
  if (n < 16 || n > 1024) fail("a format of 16 bytes or more", std::to_string(n) + " bytes");
  const auto bytes = take(static_cast<std::size_t>(n + n % 2));
  const std::span<const std::byte> all(bytes);
  std::uint64_t tag = load_little_endian(all.first(2));
  const std::uint64_t channels = load_little_endian(all.subspan(2, 2));
  const std::uint64_t rate = load_little_endian(all.subspan(4, 4));
  const std::uint64_t bits = load_little_endian(all.subspan(14, 2));
  const bool is_extensible = tag == kExtensible && n >= 40;
  if (is_extensible) tag = load_little_endian(all.subspan(24, 2));
  const auto type = stream_format(tag, bits);
  if (!type) {
    fail("PCM of 8 to 32 bits, floating point of 32 or 64, A-law or mu-law",
         "type " + std::to_string(tag) + " of " + std::to_string(bits) + " bits" + kAdvice);
  }
  constexpr std::uint64_t kMost = std::numeric_limits<int>::max();
  StreamFormat& format = format_.emplace();
  format.samples = {*type, static_cast<int>(std::min(rate, kMost)), static_cast<int>(channels)};
  format.name = "WAV";
  check_info({format.name, format.samples.channels, format.samples.sample_rate}, name_);
  const std::uint64_t speakers = is_extensible ? load_little_endian(all.subspan(20, 4)) : 0;
  if (std::popcount(speakers) == static_cast<int>(channels)) format.speakers = speakers;
}

// The chunk "ds64" of RF64: sizes of the file and of its samples in 64 bits.
void HeaderReader::take_long_sizes(std::uint64_t n) {
  if (n < 16 || n > kMostHeader) fail("sizes of 16 bytes or more", std::to_string(n) + " bytes");
  const auto bytes = take(static_cast<std::size_t>(n + n % 2));
  long_size_ = load_little_endian(std::span(bytes).subspan(8, 8));
}

// Bytes of samples in a data chunk whose size field is `n`; kNoEnd: as many as come.
std::uint64_t HeaderReader::n_sample_bytes(std::uint64_t n) const {
  constexpr std::uint64_t kInLongSizes = 0xFFFFFFFF;
  if (is_rf64_ && n == kInLongSizes) return long_size_ == 0 ? kNoEnd : long_size_;
  return is_streamed_size(n, bytes_per_frame(format_->samples)) ? kNoEnd : n;
}

StreamFormat HeaderReader::read() {
  check_magic();
  while (true) {
    const auto head = take(8);
    const std::string chunk = text(std::span(head).first(4));
    const std::uint64_t n = load_little_endian(std::span(head).subspan(4));
    if (chunk == "fmt ") {
      take_format(n);
    } else if (chunk == "data") {
      if (!format_) fail("a format before the samples", "none");
      format_->n_bytes = n_sample_bytes(n);
      return *format_;
    } else if (is_rf64_ && chunk == "ds64") {
      take_long_sizes(n);
    } else if (n > kMostHeader) {
      fail("samples", "a chunk of " + std::to_string(n) + " bytes before them");
    } else {
      take(static_cast<std::size_t>(n + n % 2));
    }
  }
}

class StreamDecoder final : public Decoder {
 public:
  StreamDecoder(ByteSource source, StreamFormat format, std::vector<std::string> warnings = {})
      : source_(std::move(source)),
        format_(std::move(format)),
        info_{format_.name, format_.samples.channels, format_.samples.sample_rate},
        left_(format_.n_bytes),
        warnings_(std::move(warnings)) {}

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  // All whole frames that are there.
  PcmBlock next() override {
    while (pending_.size() < frame_bytes() && !at_end_) fill();
    const std::size_t frames = pending_.size() / frame_bytes();
    const auto end = pending_.begin() + static_cast<std::ptrdiff_t>(frames * frame_bytes());
    const SampleFormat type = format_.samples.format;
    widen(type, {pending_.begin(), end}, samples_);
    pending_.erase(pending_.begin(), end);
    plane_ = samples_.data();
    const PcmLayout layout{widened_format(type), format_.samples.channels,
                           format_.samples.sample_rate, format_.speakers};
    return {layout, frames, &plane_};
  }

 private:
  std::size_t frame_bytes() const { return bytes_per_frame(format_.samples); }

  void fill() {
    std::array<std::byte, 1 << 14> bytes;
    const std::size_t n = source_(bytes);
    if (n == kStopped) {
      at_end_ = true;
      return;
    }
    const auto taken = static_cast<std::size_t>(std::min<std::uint64_t>(n, left_));
    pending_.insert(pending_.end(), bytes.begin(),
                    bytes.begin() + static_cast<std::ptrdiff_t>(taken));
    if (left_ != kNoEnd) left_ -= taken;
    if (n == 0 || left_ == 0) end();  // what is behind the samples of a WAV is not read
  }

  void end() {
    at_end_ = true;
    if (left_ != kNoEnd && left_ > 0) {
      warnings_.push_back("expected " + std::to_string(format_.n_bytes) +
                          " bytes of samples by the header, found " +
                          std::to_string(format_.n_bytes - left_));
    } else if (pending_.size() % frame_bytes() != 0) {
      warnings_.push_back("expected whole frames of " + std::to_string(frame_bytes()) +
                          " bytes, found " + std::to_string(pending_.size() % frame_bytes()) +
                          " bytes more at the end");
    }
  }

  ByteSource source_;
  StreamFormat format_;
  PcmInfo info_;
  std::uint64_t left_;  // bytes of samples that are to come
  bool at_end_ = false;
  std::vector<std::byte> pending_;
  std::vector<std::uint8_t> samples_;
  const std::uint8_t* plane_ = nullptr;
  std::vector<std::string> warnings_;
};

constexpr const char* kRawName = "raw PCM";

}  // namespace

std::unique_ptr<Decoder> open_raw(const InputFile& file, const RawFormat& format,
                                  std::vector<std::string> warnings) {
  check_info({kRawName, format.channels, format.sample_rate}, file.name());
  const std::uint64_t rest = file.size() % bytes_per_frame(format);
  if (rest != 0) {
    warnings.push_back("expected whole frames of " + std::to_string(bytes_per_frame(format)) +
                       " bytes, found " + std::to_string(rest) + " bytes more at the end");
  }
  const auto stream = std::make_shared<ByteStream>(ByteStream{file.duplicate()});
  const auto source = [stream](std::span<std::byte> out) {
    const std::size_t n = stream->read(out);
    stream->file.check();
    return n;
  };
  return std::make_unique<StreamDecoder>(
      source, StreamFormat{format, 0, file.size() - rest, kRawName}, std::move(warnings));
}

std::unique_ptr<PcmReader> open_pcm_stream(ByteSource source,
                                           const std::optional<RawFormat>& format,
                                           const std::string& name) {
  StreamFormat stream;
  if (format) {
    stream.samples = *format;
    stream.name = kRawName;
  } else {
    stream = HeaderReader(source, name).read();
  }
  return std::make_unique<PcmReader>(
      std::make_unique<StreamDecoder>(std::move(source), std::move(stream)), name);
}

}  // namespace wnpu::audio
