// libsndfile: WAV, FLAC, Ogg, AIFF and the like, mono and stereo.
//
// Left to libav, though libsndfile opens them: more than two channels (libav knows each format's
// channel order, and with it the gains of a downmix), MP3 (libmpg123 1.31 prints to stderr and
// cannot be silenced through libsndfile 1.2), and files whose length libsndfile does not know (a
// cut Ogg stream, of which it then reads nothing; a WAV that says 0 because it was streamed).
#include <algorithm>
#include <array>
#include <cstdio>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

#include <sndfile.h>

#include "audio/decoder.h"
#include "audio/error.h"

namespace wnpu::audio {
namespace {

struct CloseSndfile {
  void operator()(SNDFILE* file) const { sf_close(file); }
};
using SndfilePtr = std::unique_ptr<SNDFILE, CloseSndfile>;

constexpr std::pair<int, const char*> kFormats[] = {
    {SF_FORMAT_WAV, "WAV"},         {SF_FORMAT_WAVEX, "WAV"}, {SF_FORMAT_RF64, "RF64"},
    {SF_FORMAT_W64, "W64"},         {SF_FORMAT_FLAC, "FLAC"}, {SF_FORMAT_OGG, "OGG"},
    {SF_FORMAT_AIFF, "AIFF"},       {SF_FORMAT_AU, "AU"},     {SF_FORMAT_CAF, "CAF"},
    {SF_FORMAT_NIST, "NIST SPHERE"}};

// How those files begin. libsndfile is not shown anything else: it tries more formats than these,
// and to try MP3 is to have libmpg123 print.
constexpr std::string_view kMagics[] = {"RIFF", "RIFX", "RF64", "riff", "fLaC", "OggS",
                                        "FORM", ".snd", "dns.", "caff", "NIST"};

bool is_known(InputFile file) {
  std::array<char, 4> start{};
  file.read_at(0, std::as_writable_bytes(std::span(start)));
  const std::string_view magic(start.data(), start.size());
  return std::find(std::begin(kMagics), std::end(kMagics), magic) != std::end(kMagics);
}

std::optional<std::string> format_name(int format) {
  for (const auto& [major, name] : kFormats) {
    if ((format & SF_FORMAT_TYPEMASK) == major) return name;
  }
  return std::nullopt;
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
    file_.reset(sf_open_virtual(&io, SFM_READ, &sf_info_, virtual_file_.get()));
    virtual_file_->file.check();
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
  }

  // Why this file is not for libsndfile; empty when it is.
  const std::string& refusal() const { return refusal_; }

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  std::size_t read(std::span<float> mono) override {
    const std::size_t wanted = std::min<std::size_t>(mono.size(), kBlockFrames);
    interleaved_.resize(wanted * static_cast<std::size_t>(info_.channels));
    const auto n =
        sf_readf_float(file_.get(), interleaved_.data(), static_cast<sf_count_t>(wanted));
    if (n <= 0) {
      finish();
      return 0;
    }
    frames_read_ += n;
    const auto frames = static_cast<std::size_t>(n);
    average_channels(
        std::span(interleaved_).first(frames * static_cast<std::size_t>(info_.channels)),
        mono.first(frames));
    return frames;
  }

 private:
  static constexpr std::size_t kBlockFrames = 4096;
  static constexpr sf_count_t kUnknownLength = std::numeric_limits<sf_count_t>::max();

  void warn(const std::string& text) {
    warnings_.push_back(virtual_file_->file.name() + ": " + text);
  }

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
  std::vector<float> interleaved_;
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
