#include "audio/mel/mel_source.h"

#include <algorithm>
#include <array>
#include <chrono>

#include "audio/mel/log_mel.h"
#include "audio/read/error.h"
#include "audio/read/samples_beside.h"
#include "models/base/stopped.h"

namespace wnpu::audio {
namespace {

constexpr std::size_t kBlockSamples = kSampleRate;

// Adds the time from its making to its end to `sum_s`.
class Stopwatch {
 public:
  explicit Stopwatch(double& sum_s) : sum_s_(sum_s) {}
  ~Stopwatch() {
    const std::chrono::duration<double> passed = std::chrono::steady_clock::now() - start_;
    sum_s_ += passed.count();
  }
  Stopwatch(const Stopwatch&) = delete;
  Stopwatch& operator=(const Stopwatch&) = delete;

 private:
  double& sum_s_;
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

template <typename F>
auto timed(double& sum_s, const F& f) {
  const Stopwatch watch(sum_s);
  return f();
}

// The maximum so far of each place in a group; sixteen of them, so that they fit SIMD lanes.
class Maximum {
 public:
  Maximum() { places_.fill(-10.0F); }  // log10 of audio.py's clamp at 1e-10: what silence gives
  void add(models::ConstMatrixView group) {
    for (std::size_t m = 0; m < group.rows; ++m) {
      const auto row = group.row(m);
      for (std::size_t f = 0; f < kGroupFrames; ++f) places_[f] = std::max(places_[f], row[f]);
    }
  }
  float value() const { return *std::max_element(places_.begin(), places_.end()); }

 private:
  std::array<float, kGroupFrames> places_{};
};

}  // namespace

// The way from an input's bytes to frames, once.
class MelSource::Pass {
 public:
  Pass(const InputFile& file, std::size_t n_mels, MelTimings& timings)
      : timings_(timings),
        mel_(timed(timings.mel_s, [&] { return LogMelStream(n_mels); })),
        block_(kBlockSamples) {
    const Stopwatch watch(timings_.decode_s);
    reader_ = open_pcm(file);
  }

  // The next samples; none at the end.
  std::span<const float> read() {
    const Stopwatch watch(timings_.decode_s);
    return std::span<const float>(block_).first(reader_->read(block_));
  }

  // Appends every frame that `samples` make certain; no samples means that the audio is over.
  void compute(std::span<const float> samples, MelFrames& frames) {
    if (samples.empty()) {
      mel_.finish();
    } else {
      mel_.push(samples);
    }
    while (mel_.has_group()) {
      const models::MatrixView group = frames.append_group();
      mel_.pop_group(group);
      maximum_.add(group);
    }
  }

  const PcmReader& reader() const { return *reader_; }
  // Of all frames so far, log10 power.
  float maximum() const { return maximum_.value(); }

 private:
  MelTimings& timings_;
  LogMelStream mel_;
  Maximum maximum_;
  std::vector<float> block_;
  std::unique_ptr<PcmReader> reader_;
};

MelSource::MelSource(const Input& input, std::size_t n_mels, const MelOptions& options)
    : file_(input, options.should_stop), n_mels_(n_mels), frames_(n_mels) {
  first_pass(options);
}

MelSource::~MelSource() = default;

void MelSource::first_pass(const MelOptions& options) {
  Pass pass(file_, n_mels_, timings_);
  const auto compute = [&](std::span<const float> samples) {
    pass.compute(samples, frames_);
    is_whole_ = is_whole_ && frames_.bytes() <= options.budget_bytes;
    if (!is_whole_) frames_.drop_before(frames_.end());
  };
  SamplesBeside frames(compute, options.beside);
  const auto take = [&](std::span<const float> samples) {
    n_samples_ += samples.size();
    timed(timings_.mel_s, [&] { frames.push(samples); });
    is_cancelled_ = options.on_pcm && !options.on_pcm(samples);
  };
  try {
    for (auto samples = pass.read(); !samples.empty(); samples = pass.read()) {
      take(samples);
      if (is_cancelled_) break;
    }
  } catch (const models::Stopped&) {
    is_cancelled_ = true;
  }
  timed(timings_.mel_s, [&] {
    frames.finish();
    pass.compute({}, frames_);
  });
  maximum_ = pass.maximum();
  info_ = pass.reader().info();
  warnings_ = pass.reader().warnings();
}

// Makes frames_ hold `first` .. `end`, which lie within the content.
void MelSource::hold(std::size_t first, std::size_t end) {
  if (is_whole_) return;
  if (!second_pass_ || first < frames_.begin()) {
    second_pass_ = std::make_unique<Pass>(file_, n_mels_, timings_);
    frames_ = MelFrames(n_mels_);
  }
  frames_.drop_before(first);
  while (frames_.end() < end) {
    file_.check();
    const auto samples = second_pass_->read();
    timed(timings_.mel_s, [&] { second_pass_->compute(samples, frames_); });
    if (samples.empty() && frames_.end() < end) {
      throw AudioError(file_.name() + ": expected " + std::to_string(content_frames()) +
                       " frames as in the first pass, found " + std::to_string(frames_.end()) +
                       ": the file has changed");
    }
    frames_.drop_before(first);
  }
}

void MelSource::window(std::size_t first_frame, models::LogMel& out) {
  const std::size_t first = std::min(first_frame, content_frames());
  const std::size_t count = std::min(kWindowFrames, content_frames() - first);
  hold(first, first + count);
  const Stopwatch watch(timings_.mel_s);
  if (out.values.rows() != n_mels_ || out.values.cols() != kWindowFrames) {
    out.values = models::Matrix(n_mels_, kWindowFrames);
  }
  for (std::size_t m = 0; m < n_mels_; ++m) {
    const std::span<float> row = out.values.row(m);
    frames_.for_each_piece(m, first, count, [&](std::span<const float> piece, std::size_t at) {
      normalise(piece, maximum_, row.subspan(at, piece.size()));
    });
    std::fill(row.begin() + static_cast<std::ptrdiff_t>(count), row.end(), 0.0F);
  }
}

}  // namespace wnpu::audio
