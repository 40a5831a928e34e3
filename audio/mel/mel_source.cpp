#include "audio/mel/mel_source.h"

#include <algorithm>
#include <utility>

#include "audio/mel/mel_pass.h"
#include "audio/read/error.h"
#include "audio/read/prefetch_reader.h"
#include "models/base/error.h"
#include "models/base/stage_timer.h"

namespace wnpu::audio {

using models::timed;

MelSource::MelSource(InputFile file, std::size_t n_mels, const MelOptions& options)
    : file_(std::move(file)), n_mels_(n_mels), frames_(n_mels) {
  first_pass(options);
}

void MelSource::first_pass(const MelOptions& options) {
  MelPass pass(file_, n_mels_, timings_);
  const auto compute = [&](std::span<const float> samples) {
    pass.compute(samples, frames_);
    is_whole_ = is_whole_ && frames_.bytes() <= options.budget_bytes;
    if (!is_whole_) frames_.drop_before(frames_.end());
  };
  PrefetchReader frames(compute, options.beside);
  const auto take = [&](std::span<const float> samples) {
    n_samples_ += samples.size();
    timed(timings_.mel_s, [&] { frames.push(samples); });
    if (options.on_pcm) options.on_pcm(samples);
    is_stopped_ = options.should_stop && options.should_stop();
  };
  try {
    for (auto samples = pass.read(); !samples.empty(); samples = pass.read()) {
      take(samples);
      if (is_stopped_) break;
    }
  } catch (const models::Stopped&) {
    is_stopped_ = true;
  }
  timed(timings_.mel_s, [&] {
    frames.finish();
    pass.compute({}, frames_);
  });
  n_frames_ = frames_.end();
  maximum_ = pass.maximum();
  info_ = pass.reader().info();
  warnings_ = pass.reader().warnings();
}

// Makes frames_ hold `first` .. `end`, which the first pass had.
void MelSource::hold(std::size_t first, std::size_t end) {
  if (is_whole_) return;
  if (!second_pass_ || first < frames_.begin()) {
    second_pass_ = std::make_unique<MelPass>(file_, n_mels_, timings_);
    frames_ = MelFrames(n_mels_);
  }
  frames_.drop_before(first);
  while (frames_.end() < end) {
    file_.check();
    const auto samples = second_pass_->read();
    timed(timings_.mel_s, [&] { second_pass_->compute(samples, frames_); });
    if (samples.empty() && frames_.end() < end) {
      throw AudioError(file_.name() + ": expected " + std::to_string(n_frames_) +
                       " frames as in the first pass, found " + std::to_string(frames_.end()) +
                       ": the file has changed");
    }
    frames_.drop_before(first);
  }
}

void MelSource::window(std::size_t first_frame, models::LogMel& out, Padding padding) {
  const std::size_t end = padding == Padding::silence ? n_frames_ : content_frames();
  const std::size_t first = std::min(first_frame, end);
  const std::size_t count = std::min(kWindowFrames, end - first);
  hold(first, first + count);
  const models::StageTimer timer(timings_.mel_s);
  if (out.values.rows() != n_mels_ || out.values.cols() != kWindowFrames) {
    out.values = models::Matrix(n_mels_, kWindowFrames);
  }
  for (std::size_t m = 0; m < n_mels_; ++m) {
    const std::span<float> row = out.values.row(m);
    frames_.for_each_piece(m, first, count, [&](std::span<const float> piece, std::size_t at) {
      normalise(piece, maximum_, row.subspan(at, piece.size()));
    });
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(count), row.end(), value_of(padding));
  }
}

}  // namespace wnpu::audio
