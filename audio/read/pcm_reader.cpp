#include "audio/read/pcm_reader.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

extern "C" {
#include <libavutil/samplefmt.h>
}

#include "audio/read/channel_decoder.h"
#include "audio/read/error.h"

namespace wnpu::audio {
namespace {

// Far beyond any scaling mistake: unscaled 32-bit integers in a float file reach 2e9.
constexpr double kMaxAmplitude = 1e12;

// Lossy decoders exceed full scale a little; samples beyond this are of another scale.
constexpr float kLoud = 4.0F;

struct BadSample {
  std::size_t frame;
  double value;
};

// The index of the first sample that is no number, or beyond all reason; the size where there is
// none. `loudest` is raised to the largest.
template <typename Sample>
std::size_t first_bad(std::span<const Sample> samples, float& loudest) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    const double magnitude = std::abs(static_cast<double>(samples[i]));
    if (!(magnitude <= kMaxAmplitude)) return i;  // true for NaN as well
    loudest = std::max(loudest, static_cast<float>(magnitude));
  }
  return samples.size();
}

template <typename Sample>
std::optional<BadSample> find_bad_sample(const PcmBlock& block, bool is_planar, float& loudest) {
  const auto channels = static_cast<std::size_t>(block.layout.channels);
  const std::size_t together = is_planar ? 1 : channels;  // in a plane
  for (std::size_t p = 0; p < channels / together; ++p) {
    const std::span samples(reinterpret_cast<const Sample*>(block.planes[p]),
                            block.n_frames * together);
    const std::size_t i = first_bad(samples, loudest);
    if (i < samples.size()) return BadSample{i / together, static_cast<double>(samples[i])};
  }
  return std::nullopt;
}

std::optional<BadSample> find_bad_sample(const PcmBlock& block, float& loudest) {
  switch (block.layout.sample_format) {
    case AV_SAMPLE_FMT_FLT:
    case AV_SAMPLE_FMT_FLTP:
      return find_bad_sample<float>(block, block.layout.sample_format == AV_SAMPLE_FMT_FLTP,
                                    loudest);
    case AV_SAMPLE_FMT_DBL:
    case AV_SAMPLE_FMT_DBLP:
      return find_bad_sample<double>(block, block.layout.sample_format == AV_SAMPLE_FMT_DBLP,
                                     loudest);
    default:
      return std::nullopt;
  }
}

// Sound has them in any companded half second, a text none.
bool has_high_bytes(InputFile file) {
  std::array<unsigned char, 4096> begin;  // NOLINT(cppcoreguidelines-pro-type-member-init)
  const std::size_t n = file.read_at(0, std::as_writable_bytes(std::span(begin)));
  return std::any_of(begin.begin(), begin.begin() + n, [](unsigned char c) { return c > 0x7F; });
}

// The way out for samples without a header.
std::string raw_hint(const std::string& name) {
  const bool is_stdin = name == "stdin";
  if (!is_stdin && !is_raw_name(name)) return "";
  return std::string("; raw samples need --stdin-format, as s16le:16000:1") +
         (is_stdin ? "" : " - < " + name);
}

// Whoever can read the file.
std::unique_ptr<Decoder> open_decoder(const InputFile& file) {
  if (file.raw_format()) {
    check_track(file, 1);
    return open_raw(file, *file.raw_format());
  }
  Opened sndfile = open_sndfile(file);
  if (sndfile.decoder) {
    check_track(file, 1);
    return std::move(sndfile.decoder);
  }
  Opened libav = open_libav(file, sndfile.warnings);
  if (libav.decoder) return std::move(libav.decoder);
  const std::string telephone = telephone_format(file.name());
  if (!telephone.empty() && has_high_bytes(file.duplicate())) {
    check_track(file, 1);
    return open_raw(file, parse_raw_format(telephone),
                    {"expected a header, found none: by its name read as " + telephone});
  }
  throw AudioError(file.name() + ": expected audio, found " + std::to_string(file.size()) +
                   " bytes that neither libsndfile (" + sndfile.refusal + ") nor libav (" +
                   libav.refusal + ") can decode" + raw_hint(file.name()));
}

}  // namespace

PcmReader::PcmReader(std::unique_ptr<Decoder> decoder, std::string name, const SampleRange& range)
    : decoder_(std::move(decoder)), name_(std::move(name)), range_(range) {}

std::size_t PcmReader::read(std::span<float> out) {
  while (at_ == samples_.size()) {
    if (n_handed_out_ == range_.size || !refill()) return 0;
    skip();
  }
  const std::uint64_t n_left = range_.size - n_handed_out_;
  const std::size_t n =
      std::min<std::uint64_t>(std::min(out.size(), samples_.size() - at_), n_left);
  for (std::size_t i = 0; i < n; ++i) out[i] = static_cast<float>(samples_[at_ + i]) * 0x1p-15F;
  at_ += n;
  n_handed_out_ += n;
  return n;
}

// Skips samples before the range. Throws AudioError where the audio ends before its first one.
void PcmReader::skip() {
  at_ = std::min<std::uint64_t>(range_.first - n_skipped_, samples_.size());
  n_skipped_ += at_;
  const bool is_over = at_end_ && at_ == samples_.size();
  if (!is_over || range_.first == 0 || n_handed_out_ > 0) return;
  const auto seconds = [](std::uint64_t n) {
    return number_text(static_cast<double>(n) / kSampleRate);
  };
  throw AudioError(name_ + ": expected audio from " + seconds(range_.first) + " s on, found " +
                   seconds(n_skipped_) + " s");
}

std::vector<std::string> PcmReader::warnings() const {
  std::vector<std::string> all = decoder_->warnings();
  if (loudest_ > kLoud) {
    all.push_back("expected samples from -1 to 1, found " + number_text(loudest_) +
                  ": what is louder than 1 was cut off, as ffmpeg does");
  }
  return all;
}

// The next converted samples, perhaps none; false at the end.
bool PcmReader::refill() {
  if (at_end_) return false;
  samples_.clear();
  at_ = 0;
  const PcmBlock block = decoder_->next();
  at_end_ = block.n_frames == 0;
  // ffmpeg, too, begins anew where a stream changes its layout, without what the filter held.
  if (converter_ && at_end_) converter_->flush(samples_);
  if (converter_ && converter_->layout() != block.layout) converter_.reset();
  if (at_end_) return true;
  if (!converter_) {
    check_info({info().format, block.layout.channels, block.layout.sample_rate}, name_);
    converter_.emplace(block.layout, name_);
  }
  check(block);
  converter_->convert(block, samples_);
  return true;
}

void PcmReader::check(const PcmBlock& block) {
  if (const auto bad = find_bad_sample(block, loudest_)) {
    const double time_s = read_s_ + static_cast<double>(bad->frame) / block.layout.sample_rate;
    throw AudioError(name_ + ": expected finite samples, found " + number_text(bad->value) +
                     " at " + number_text(time_s) + " s");
  }
  read_s_ += static_cast<double>(block.n_frames) / block.layout.sample_rate;
}

std::unique_ptr<PcmReader> open_pcm(const InputFile& file) {
  std::unique_ptr<Decoder> decoder = open_decoder(file);
  if (file.channel()) decoder = channel_of(std::move(decoder), *file.channel());
  return std::make_unique<PcmReader>(std::move(decoder), file.name(), file.range());
}

std::unique_ptr<PcmReader> open_pcm(const Input& input) { return open_pcm(InputFile(input)); }

}  // namespace wnpu::audio
