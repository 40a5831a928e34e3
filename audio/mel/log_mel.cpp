#include "audio/mel/log_mel.h"

#include <algorithm>
#include <cassert>

namespace wnpu::audio {
namespace {

constexpr std::size_t kHalfWindow = kFftSize / 2;

}  // namespace

LogMelStream::LogMelStream(std::size_t n_mels) : tables_(n_mels) {}

void LogMelStream::push(std::span<const float> samples) {
  pending_.erase(pending_.begin(), pending_.begin() + static_cast<std::ptrdiff_t>(popped_));
  popped_ = 0;
  pending_.insert(pending_.end(), samples.begin(), samples.end());
  if (!is_mirrored_ && pending_.size() > kHalfWindow) mirror_start();
}

// torch's reflect padding does not repeat the first sample: x[200] .. x[1], x[0], x[1], ...
void LogMelStream::mirror_start() {
  const std::vector<float> start(pending_.begin() + 1, pending_.begin() + kHalfWindow + 1);
  pending_.insert(pending_.begin(), start.rbegin(), start.rend());
  is_mirrored_ = true;
}

void LogMelStream::finish() {
  // The last frame that touches audio starts at most one window before its end; a group more makes
  // sure that this frame lies in a whole one.
  const std::vector<float> silence(kHalfWindow + kFftSize + kGroupSamples, 0.0F);
  push(silence);
}

bool LogMelStream::has_group() const {
  return is_mirrored_ && pending_.size() - popped_ >= kGroupSamples;
}

void LogMelStream::pop_group(models::MatrixView out) {
  assert(has_group());
  log_mel_group(tables_, std::span(pending_).subspan(popped_, kGroupSamples), out);
  popped_ += kGroupFrames * kHopSamples;
}

void normalise(std::span<const float> log10_power, float maximum, std::span<float> out) {
  const float floor = maximum - 8.0F;
  for (std::size_t i = 0; i < out.size(); ++i) {
    out[i] = (std::max(log10_power[i], floor) + 4.0F) / 4.0F;
  }
}

}  // namespace wnpu::audio
