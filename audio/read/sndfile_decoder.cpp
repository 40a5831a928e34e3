// libsndfile: WAV, AIFF and the like, mono and stereo.
//
// Left to libav, though libsndfile opens them: what is compressed (libmpg123 prints on MP3; FLAC
// ends at the first damaged frame; nothing is read of a cut Ogg stream; Opus is decoded at another
// rate than ffmpeg does), more than two channels (libav knows each format's channel order, and with
// it the gains of a downmix), and a WAV that says 0 because it was streamed. As of
// libsndfile 1.2.0.
#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <limits>
#include <new>
#include <optional>
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

// What FFmpeg's decoders make of the same bytes.
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

// An InputFile with a position, behind libsndfile's C callbacks.
struct VirtualFile {
  InputFile file;
  sf_count_t position = 0;
};

VirtualFile& from(void* user) { return *static_cast<VirtualFile*>(user); }

sf_count_t vio_length(void* user) { return static_cast<sf_count_t>(from(user).file.size()); }

sf_count_t vio_seek(sf_count_t offset, int whence, void* user) {
  VirtualFile& v = from(user);
  if (whence == SEEK_CUR) offset += v.position;
  if (whence == SEEK_END) offset += vio_length(user);
  v.position = std::max<sf_count_t>(offset, 0);
  return v.position;
}

sf_count_t vio_read(void* out, sf_count_t count, void* user) {
  VirtualFile& v = from(user);
  const auto n = v.file.read_at(static_cast<std::uint64_t>(v.position),
                                {static_cast<std::byte*>(out), static_cast<std::size_t>(count)});
  v.position += static_cast<sf_count_t>(n);
  return static_cast<sf_count_t>(n);
}

sf_count_t vio_write(const void*, sf_count_t, void*) { return 0; }

sf_count_t vio_tell(void* user) { return from(user).position; }

// libsndfile cuts a chunk that is longer than its file and says so in its log, in lines such as
// "data : 64000 (should be 38368)". Sizes from 0x7FFFF000 on are what programs write that stream to
// a pipe (sox 0x7FFFxxxx, ffmpeg 0xFFFFFFFF) and claim nothing.
std::optional<std::string> truncation(SNDFILE* file) {
  std::array<char, 1U << 14> text{};
  sf_command(file, SFC_GET_LOG_INFO, text.data(), static_cast<int>(text.size()));
  const std::string log(text.data());
  std::optional<std::string> found;
  for (std::size_t at = 0; (at = log.find("(should be ", at)) != log.npos; ++at) {
    const std::size_t colon = log.rfind(':', at);
    unsigned long long declared = 0;
    unsigned long long actual = 0;
    if (colon == log.npos ||
        std::sscanf(log.c_str() + colon, ": %llu (should be %llu)", &declared, &actual) != 2) {
      continue;
    }
    if (declared <= actual || declared >= 0x7FFFF000ULL) continue;
    found = "expected " + std::to_string(declared) + " bytes of audio by the header, found " +
            std::to_string(actual) + ": the file is cut short";
  }
  return found;
}

class SndfileDecoder final : public Decoder {
 public:
  explicit SndfileDecoder(const InputFile& file)
      : virtual_file_(std::make_unique<VirtualFile>(VirtualFile{file.duplicate()})) {
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
    check_info(info_, file.name());
    const bool has_length = sf_info_.frames > 0 && sf_info_.frames < kUnknownLength;
    if (!has_length) refusal_ = "no length in the header";
    if (info_.channels > 2) refusal_ = "more than two channels are left to libav";
    if (const auto text = truncation(file_.get())) warn(*text);
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

  std::unique_ptr<VirtualFile> virtual_file_;  // its address is known to libsndfile
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
  if (!is_known(file.duplicate())) return {nullptr, "format not recognised"};
  auto decoder = std::make_unique<SndfileDecoder>(file);
  if (!decoder->refusal().empty()) return {nullptr, decoder->refusal()};
  return {std::move(decoder), ""};
}

}  // namespace wnpu::audio
