#include "audio/mel/mel_pass.h"

#include <algorithm>

#include "models/base/stage_timer.h"

namespace wnpu::audio {
namespace {

constexpr std::size_t kBlockSamples = kSampleRate;

}  // namespace

MelPass::MelPass(const InputFile& file, std::size_t n_mels, MelTimings& timings)
    : timings_(timings),
      mel_(models::timed(timings.mel_s, [&] { return LogMelStream(n_mels); })),
      block_(kBlockSamples),
      reader_(models::timed(timings.decode_s, [&] { return open_pcm(file); })) {
  maxima_.fill(kLeastLogPower);
}

std::span<const float> MelPass::read() {
  const models::StageTimer timer(timings_.decode_s);
  return std::span<const float>(block_).first(reader_->read(block_));
}

void MelPass::compute(std::span<const float> samples, MelFrames& frames) {
  if (samples.empty()) {
    mel_.finish();
  } else {
    mel_.push(samples);
  }
  while (mel_.has_group()) {
    const models::MatrixView group = frames.append_group();
    mel_.pop_group(group);
    take_maxima(group);
  }
}

void MelPass::take_maxima(models::ConstMatrixView group) {
  for (std::size_t m = 0; m < group.rows; ++m) {
    const auto row = group.row(m);
    for (std::size_t f = 0; f < kGroupFrames; ++f) maxima_[f] = std::max(maxima_[f], row[f]);
  }
}

float MelPass::maximum() const { return *std::ranges::max_element(maxima_); }

}  // namespace wnpu::audio
