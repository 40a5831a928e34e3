// libsndfile: WAV, AIFF and the like, mono and stereo.
//
// Left to libav, though libsndfile opens them: what is compressed, in a WAV too (libmpg123 prints
// on MP3; FLAC ends at the first damaged frame; nothing is read of a cut Ogg stream; Opus is
// decoded at another rate than ffmpeg does, and ADPCM to other samples), extensible W64 (floats and
// A-law in it are taken for integers), more than two channels (libav knows each format's channel
// order, and with it the gains of a downmix), and a WAV that says 0 because it was streamed. As of
// libsndfile 1.2.0.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
#include <sstream>
#include <string_view>
#include <utility>

#include <sndfile.h>

extern "C" {
#include <libavutil/samplefmt.h>
}

#include "audio/read/decoder.h"
#include "audio/read/error.h"

namespace wnpu::audio {
namespace {

struct CloseSndfile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SndfilePtr = std::unique_ptr<SNDFILE, CloseSndfile>;

constexpr std::pair<int, const char*> kContainers[] = {
    {SF_FORMAT_WAV, "WAV"}, {SF_FORMAT_WAVEX, "WAV"},       {SF_FORMAT_RF64, "RF64"},
    {SF_FORMAT_W64, "W64"}, {SF_FORMAT_AIFF, "AIFF"},       {SF_FORMAT_AU, "AU"},
    {SF_FORMAT_CAF, "CAF"}, {SF_FORMAT_NIST, "NIST SPHERE"}};

// Encodings that are left to libsndfile: uncompressed ones, and those that libav mistakes: GSM in
// AIFF for a sound 160 times as long, ADPCM of NMS for AMR, DWVW for nothing.
constexpr int kTypes[] = {SF_FORMAT_PCM_S8,       SF_FORMAT_PCM_U8,       SF_FORMAT_PCM_16,
                          SF_FORMAT_PCM_24,       SF_FORMAT_PCM_32,       SF_FORMAT_FLOAT,
                          SF_FORMAT_DOUBLE,       SF_FORMAT_ULAW,         SF_FORMAT_ALAW,
                          SF_FORMAT_GSM610,       SF_FORMAT_NMS_ADPCM_16, SF_FORMAT_NMS_ADPCM_24,
                          SF_FORMAT_NMS_ADPCM_32, SF_FORMAT_DWVW_12,      SF_FORMAT_DWVW_16,
                          SF_FORMAT_DWVW_24,      SF_FORMAT_DWVW_N};

bool is_known_type(int format) {
  return std::ranges::find(kTypes, format & SF_FORMAT_SUBMASK) != std::end(kTypes);
}

// How those files begin. libsndfile is not shown anything else: it tries more formats than these,
// and to try MP3 is to have libmpg123 print.
constexpr std::string_view kMagics[] = {"RIFF", "RIFX", "RF64", "riff", "FORM",
                                        ".snd", "dns.", "caff", "NIST"};

bool is_known(InputFile file) {
  std::array<char, 4> start{};
  file.read_at(0, std::as_writable_bytes(std::span(start)));
  const std::string_view magic(start.data(), start.size());
  return std::find(std::begin(kMagics), std::end(kMagics), magic) != std::end(kMagics);
}

std::optional<std::string> format_name(int format) {
  for (const auto& [major, name] : kContainers) {
    if ((format & SF_FORMAT_TYPEMASK) == major) return name;
  }
  return std::nullopt;
}

// Sample format that FFmpeg's decoders choose for the same bytes.
AVSampleFormat sample_format(int format) {
  switch (format & SF_FORMAT_SUBMASK) {
    case SF_FORMAT_PCM_24:
    case SF_FORMAT_PCM_32:
      return AV_SAMPLE_FMT_S32;
    case SF_FORMAT_FLOAT:
      return AV_SAMPLE_FMT_FLT;
    case SF_FORMAT_DOUBLE:
      return AV_SAMPLE_FMT_DBL;
    default:
      return AV_SAMPLE_FMT_S16;
  }
}

// libsndfile's C callbacks.
ByteStream& from(void* user) { return *static_cast<ByteStream*>(user); }

sf_count_t vio_length(void* user) { return static_cast<sf_count_t>(from(user).file.size()); }

sf_count_t vio_seek(sf_count_t offset, int whence, void* user) {
  ByteStream& v = from(user);
  if (whence == SEEK_CUR) offset += v.position;
  if (whence == SEEK_END) offset += vio_length(user);
  v.position = std::max<sf_count_t>(offset, 0);
  return v.position;
}

sf_count_t vio_read(void* out, sf_count_t count, void* user) {
  ByteStream& v = from(user);
  return static_cast<sf_count_t>(
      v.read({static_cast<std::byte*>(out), static_cast<std::size_t>(count)}));
}

sf_count_t vio_write(const void*, sf_count_t, void*) { return 0; }

sf_count_t vio_tell(void* user) { return from(user).position; }

std::string log_of(SNDFILE* file) {
  std::array<char, 1U << 14> text{};
  sf_command(file, SFC_GET_LOG_INFO, text.data(), static_cast<int>(text.size()));
  return text.data();
}

bool is_extensible_w64(SNDFILE* file, int format) {
  return (format & SF_FORMAT_TYPEMASK) == SF_FORMAT_W64 &&
         log_of(file).find("WAVE_FORMAT_EXTENSIBLE") != std::string::npos;
}

// Names before the bytes of samples in libsndfile's log: of WAV and CAF, of AIFF, of AU and of
// RF64. Others that it would correct ("RIFF", "FORM", "Bytes/sec") say nothing about samples, and
// programs get them wrong.
constexpr std::string_view kSampleSizes[] = {"data", "SSND", "Data Size", "Data size"};

// Text from the colon on in a line of the log such as "data : 64000 (should be 38368)"; empty if
// the line is not about the samples.
std::string said_of_samples(const std::string& line) {
  const std::size_t begin = line.find_first_not_of(' ');
  const std::size_t colon = line.find(':');
  if (begin == line.npos || colon == line.npos || begin >= colon) return {};
  const std::size_t end = line.find_last_not_of(' ', colon - 1) + 1;
  const std::string_view name = std::string_view(line).substr(begin, end - begin);
  const bool is_known = std::ranges::find(kSampleSizes, name) != std::end(kSampleSizes);
  return is_known ? line.substr(colon) : std::string();
}

// libsndfile cuts a chunk that is longer than its file, and its log says so; of RF64, whose length
// lies elsewhere, it has the length alone. Sizes that a streamed file has claim nothing.
// `frame_bytes`: at most.
std::optional<std::string> truncation(SNDFILE* file, std::uint64_t file_bytes,
                                      std::uint64_t frame_bytes) {
  std::istringstream log(log_of(file));
  std::optional<std::string> found;
  for (std::string line; std::getline(log, line);) {
    unsigned long long declared = 0;
    unsigned long long actual = file_bytes;
    const std::string said = said_of_samples(line);
    if (std::sscanf(said.c_str(), ": %llu (should be %llu)", &declared, &actual) < 1) continue;
    if (declared <= actual || is_streamed_size(declared, frame_bytes)) continue;
    found = "expected " + std::to_string(declared) + " bytes of audio by the header, found " +
            std::to_string(actual) + ": the file is cut short";
  }
  return found;
}

class SndfileDecoder final : public Decoder {
 public:
  explicit SndfileDecoder(const InputFile& file)
      : virtual_file_(std::make_unique<ByteStream>(ByteStream{file.duplicate()})) {
    SF_VIRTUAL_IO io{vio_length, vio_seek, vio_read, vio_write, vio_tell};
    errno = 0;
    file_.reset(sf_open_virtual(&io, SFM_READ, &sf_info_, virtual_file_.get()));
    virtual_file_->file.check();
    if (!file_ && errno == ENOMEM) throw std::bad_alloc();
    if (!file_) {
      refusal_ = sf_strerror(nullptr);
      return;
    }
    const auto name = format_name(sf_info_.format);
    info_ = {name.value_or(""), sf_info_.channels, sf_info_.samplerate};
    if (!name) {
      refusal_ = "a format that is left to libav";
      return;
    }
    if (!is_known_type(sf_info_.format)) {
      refusal_ = "a compressed sound, which is left to libav";
      return;
    }
    check_info(info_, file.name());
    const bool has_length = sf_info_.frames > 0 && sf_info_.frames < kUnknownLength;
    if (!has_length) refusal_ = "no length in the header";
    if (info_.channels > 2) refusal_ = "more than two channels are left to libav";
    if (is_extensible_w64(file_.get(), sf_info_.format))
      refusal_ = "an extensible W64 is left to libav";
    const auto frame_bytes = sizeof(double) * static_cast<std::uint64_t>(info_.channels);
    if (const auto text = truncation(file_.get(), file.size(), frame_bytes)) warn(*text);
    sample_format_ = sample_format(sf_info_.format);
    block_.resize(static_cast<std::size_t>(kBlockFrames * info_.channels) * sizeof(double));
    plane_ = block_.data();
  }

  // Why this file is not for libsndfile; empty when it is.
  const std::string& refusal() const { return refusal_; }

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  PcmBlock next() override {
    const sf_count_t n = read_block();
    if (n <= 0) {
      finish();
      return {};
    }
    frames_read_ += n;
    return {{sample_format_, info_.channels, info_.sample_rate, 0},
            static_cast<std::size_t>(n),
            &plane_};
  }

 private:
  static constexpr sf_count_t kBlockFrames = 4096;
  static constexpr sf_count_t kUnknownLength = std::numeric_limits<sf_count_t>::max();

  sf_count_t read_block() {
    switch (sample_format_) {
      case AV_SAMPLE_FMT_S32:
        return sf_readf_int(file_.get(), reinterpret_cast<int*>(block_.data()), kBlockFrames);
      case AV_SAMPLE_FMT_FLT:
        return sf_readf_float(file_.get(), reinterpret_cast<float*>(block_.data()), kBlockFrames);
      case AV_SAMPLE_FMT_DBL:
        return sf_readf_double(file_.get(), reinterpret_cast<double*>(block_.data()), kBlockFrames);
      default:
        return sf_readf_short(file_.get(), reinterpret_cast<short*>(block_.data()), kBlockFrames);
    }
  }

  void warn(const std::string& text) { warnings_.push_back(text); }

  void finish() {
    virtual_file_->file.check();
    if (finished_) return;
    finished_ = true;
    if (frames_read_ == 0) {
      throw AudioError(virtual_file_->file.name() + ": expected " +
                       std::to_string(sf_info_.frames) + " samples of " + info_.format +
                       " audio, found none that could be decoded: " + sf_strerror(file_.get()));
    }
    if (frames_read_ < sf_info_.frames) {
      warn("expected " + std::to_string(sf_info_.frames) + " samples by the header, found " +
           std::to_string(frames_read_) + ": the file is cut short or damaged");
    }
  }

  std::unique_ptr<ByteStream> virtual_file_;  // its address is known to libsndfile
  SndfilePtr file_;
  SF_INFO sf_info_{};
  PcmInfo info_;
  std::string refusal_;
  AVSampleFormat sample_format_ = AV_SAMPLE_FMT_NONE;
  std::vector<std::uint8_t> block_;  // room for samples of any of the types
  const std::uint8_t* plane_ = nullptr;
  sf_count_t frames_read_ = 0;
  bool finished_ = false;
  std::vector<std::string> warnings_;
};

}  // namespace

Opened open_sndfile(const InputFile& file) {
  if (!is_known(file.duplicate())) return {nullptr, "format not recognised", {}};
  auto decoder = std::make_unique<SndfileDecoder>(file);
  if (!decoder->refusal().empty()) return {nullptr, decoder->refusal(), decoder->warnings()};
  return {std::move(decoder), "", {}};
}

}  // namespace wnpu::audio
