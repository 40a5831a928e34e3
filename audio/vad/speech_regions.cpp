#include "audio/vad/speech_regions.h"

#include <algorithm>
#include <utility>

namespace wnpu::audio {
namespace {

constexpr double kSamplesPerSecond = 16000;
constexpr double kBlock = 512;
// Silence at which speech that grew too long may be cut: vad.py min_silence_samples_at_max_speech.
constexpr double kCutSilence = kSamplesPerSecond * 98 / 1000;

double samples_of_ms(double ms) { return kSamplesPerSecond * ms / 1000; }

// Walks over the blocks; positions are samples, as doubles since limits may be infinite.
class RegionFinder {
 public:
  RegionFinder(const VadOptions& options, double n_samples)
      : threshold_(options.threshold),
        neg_threshold_(options.neg_threshold.value_or(std::max(options.threshold - 0.15, 0.01))),
        min_speech_(samples_of_ms(options.min_speech_duration_ms)),
        max_speech_(kSamplesPerSecond * options.max_speech_duration_s - kBlock -
                    2 * samples_of_ms(options.speech_pad_ms)),
        min_silence_(samples_of_ms(options.min_silence_duration_ms)),
        n_samples_(n_samples) {}

  std::vector<SpeechRegion> run(std::span<const float> probabilities) {
    for (std::size_t i = 0; i < probabilities.size(); ++i) {
      take(static_cast<double>(i) * kBlock, static_cast<double>(probabilities[i]));
    }
    if (start_ && n_samples_ - *start_ > min_speech_) add(n_samples_);
    return std::move(regions_);
  }

 private:
  void take(double at, double probability) {
    const bool speech = probability >= threshold_;
    if (speech && silence_start_) {
      silence_start_.reset();
      if (cut_end_ && !resume_) resume_ = at;
    }
    if (speech && !start_) {
      start_ = at;
      return;
    }
    if (start_ && at - *start_ > max_speech_) cut(at);
    if (start_ && probability < neg_threshold_) hear_silence(at);
  }

  // Ends speech that is too long: at its last silence, after which it may have gone on, or here.
  void cut(double at) {
    const std::optional<double> resume = resume_;
    add(cut_end_.value_or(at));
    close();
    start_ = resume;
  }

  void hear_silence(double at) {
    if (!silence_start_) silence_start_ = at;
    if (at - *silence_start_ > kCutSilence) {
      cut_end_ = silence_start_;
      resume_.reset();
    }
    if (at - *silence_start_ < min_silence_) return;
    if (*silence_start_ - *start_ > min_speech_) add(*silence_start_);
    close();
  }

  void add(double end) {
    regions_.push_back({static_cast<std::size_t>(*start_), static_cast<std::size_t>(end)});
  }

  void close() {
    start_.reset();
    silence_start_.reset();
    cut_end_.reset();
    resume_.reset();
  }

  double threshold_;
  double neg_threshold_;
  double min_speech_;
  double max_speech_;
  double min_silence_;
  double n_samples_;
  std::optional<double> start_;          // of the open region
  std::optional<double> silence_start_;  // within it, where the present silence began
  std::optional<double> cut_end_;        // within it, where it may be cut
  std::optional<double> resume_;         // where speech went on after cut_end_
  std::vector<SpeechRegion> regions_;
};

}  // namespace

std::vector<SpeechRegion> speech_regions(std::span<const float> probabilities,
                                         std::size_t n_samples, const VadOptions& options) {
  return RegionFinder(options, static_cast<double>(n_samples)).run(probabilities);
}

std::vector<SpeechRegion> join_regions(std::span<const SpeechRegion> regions,
                                       std::size_t max_samples, std::size_t max_gap_samples) {
  std::vector<SpeechRegion> joined;
  const auto gap_before = [&](std::size_t i) { return regions[i].start - regions[i - 1].end; };
  for (std::size_t first = 0; first < regions.size();) {
    const std::size_t start = regions[first].start;
    std::size_t next = first + 1;  // the first region that is left out
    while (next < regions.size() && regions[next].end - start <= max_samples &&
           gap_before(next) <= max_gap_samples) {
      ++next;
    }
    const std::size_t last_fit = next;
    const bool is_full = next < regions.size() && gap_before(next) <= max_gap_samples;
    for (std::size_t i = last_fit; is_full && i > first + 1; --i) {
      if (regions[i - 1].end - start < max_samples / 5 * 4) break;
      if (gap_before(i) > gap_before(next)) next = i;
    }
    joined.push_back({start, regions[next - 1].end});
    first = next;
  }
  return joined;
}

std::vector<SpeechRegion> pad_regions(std::span<const SpeechRegion> regions, std::size_t n_samples,
                                      const VadOptions& options) {
  const auto padding = static_cast<std::size_t>(samples_of_ms(options.speech_pad_ms));
  std::vector<SpeechRegion> padded(regions.begin(), regions.end());
  for (std::size_t i = 0; i < padded.size(); ++i) {
    SpeechRegion& region = padded[i];
    if (i == 0) region.start -= std::min(region.start, padding);
    if (i + 1 == padded.size()) {
      region.end = std::min(n_samples, region.end + padding);
      break;
    }
    SpeechRegion& next = padded[i + 1];
    const std::size_t silence = next.start - region.end;
    const std::size_t share = silence < 2 * padding ? silence / 2 : padding;
    region.end = std::min(n_samples, region.end + share);
    next.start -= std::min(next.start, share);
  }
  return padded;
}

}  // namespace wnpu::audio
