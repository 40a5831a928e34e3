#include "audio/pcm_reader.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "audio/error.h"

namespace wnpu::audio {
namespace {

constexpr std::size_t kBlockSamples = 8192;

// Far beyond any scaling mistake (unscaled 32-bit integers in a float file reach 2e9), and small
// enough that the power spectrum of 400 such samples stays finite in fp32.
constexpr float kMaxAmplitude = 1e12F;

void check_samples(std::span<const float> samples, std::uint64_t first, const PcmReader& reader,
                   const std::string& name) {
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (std::abs(samples[i]) <= kMaxAmplitude) continue;  // false for NaN as well
    const double time_s =
        static_cast<double>(first + i) / static_cast<double>(reader.info().sample_rate);
    throw AudioError(name + ": expected finite samples, found " + std::to_string(samples[i]) +
                     " at " + std::to_string(time_s) + " s");
  }
}

}  // namespace

PcmReader::PcmReader(std::unique_ptr<Decoder> decoder, std::string name)
    : decoder_(std::move(decoder)), name_(std::move(name)) {
  if (info().sample_rate == kSampleRate) return;
  resampler_.emplace(info().sample_rate, kSampleRate);
  block_.resize(kBlockSamples);
}

std::size_t PcmReader::read(std::span<float> out) {
  return resampler_ ? resample(out) : read_native(out);
}

std::size_t PcmReader::read_native(std::span<float> out) {
  const std::size_t n = decoder_->read(out);
  check_samples(out.first(n), n_read_, *this, name_);
  n_read_ += n;
  return n;
}

std::size_t PcmReader::resample(std::span<float> out) {
  while (true) {
    if (pending_.empty() && !at_end_) {
      pending_ = std::span(block_).first(read_native(block_));
      at_end_ = pending_.empty();
    }
    if (at_end_) return resampler_->flush(out);
    const auto step = resampler_->process(pending_, out);
    pending_ = pending_.subspan(step.consumed);
    if (step.produced > 0) return step.produced;
  }
}

std::unique_ptr<PcmReader> open_pcm(const InputFile& file) {
  if (file.raw_format()) return std::make_unique<PcmReader>(open_raw(file), file.name());
  Opened sndfile = open_sndfile(file);
  if (sndfile.decoder) return std::make_unique<PcmReader>(std::move(sndfile.decoder), file.name());
  Opened libav = open_libav(file);
  if (libav.decoder) return std::make_unique<PcmReader>(std::move(libav.decoder), file.name());
  throw AudioError(file.name() + ": expected audio, found " + std::to_string(file.size()) +
                   " bytes that neither libsndfile (" + sndfile.refusal + ") nor libav (" +
                   libav.refusal + ") can decode");
}

std::unique_ptr<PcmReader> open_pcm(const Input& input) { return open_pcm(InputFile(input)); }

}  // namespace wnpu::audio
