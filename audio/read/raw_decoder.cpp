// A file of headerless PCM.
#include <cstdint>
#include <span>
#include <utility>

#include "audio/read/decoder.h"
#include "audio/read/raw_samples.h"

namespace wnpu::audio {
namespace {

class RawDecoder final : public Decoder {
 public:
  RawDecoder(const InputFile& file, const RawFormat& format, std::vector<std::string> warnings)
      : file_(file.duplicate()),
        format_(format),
        info_{"raw PCM", format_.channels, format_.sample_rate},
        warnings_(std::move(warnings)) {
    check_info(info_, file_.name());
    const std::uint64_t rest = file_.size() % frame_bytes();
    if (rest != 0) {
      warnings_.push_back("expected whole frames of " + std::to_string(frame_bytes()) +
                          " bytes, found " + std::to_string(rest) + " bytes more at the end");
    }
  }

  const PcmInfo& info() const override { return info_; }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  PcmBlock next() override {
    bytes_.resize(kBlockFrames * frame_bytes());
    const std::size_t frames = file_.read_at(position_, bytes_) / frame_bytes();
    file_.check();
    position_ += frames * frame_bytes();
    widen(format_.format, std::span(bytes_).first(frames * frame_bytes()), samples_);
    plane_ = samples_.data();
    const int type = widened_format(format_.format);
    return {{type, format_.channels, format_.sample_rate, 0}, frames, &plane_};
  }

 private:
  static constexpr std::size_t kBlockFrames = 4096;

  std::size_t frame_bytes() const {
    return bytes_per_sample(format_.format) * static_cast<std::size_t>(format_.channels);
  }

  InputFile file_;
  RawFormat format_;
  PcmInfo info_;
  std::uint64_t position_ = 0;
  std::vector<std::byte> bytes_;
  std::vector<std::uint8_t> samples_;
  const std::uint8_t* plane_ = nullptr;
  std::vector<std::string> warnings_;
};

}  // namespace

std::unique_ptr<Decoder> open_raw(const InputFile& file, const RawFormat& format,
                                  const std::vector<std::string>& warnings) {
  return std::make_unique<RawDecoder>(file, format, warnings);
}

}  // namespace wnpu::audio
