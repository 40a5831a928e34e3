#include "audio/read/container_gaps.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>
#include <string_view>
#include <utility>

extern "C" {
#include <libavformat/avformat.h>
#include <libavutil/samplefmt.h>
}

#include "audio/read/input.h"

namespace wnpu::audio {
namespace {

// Times are rounded, and a recorder's clock is no sound card's.
constexpr double kToleranceS = 0.1;

// Longest step back of the times that the next gap makes up for; after a longer one they count as
// begun anew.
constexpr double kMostBackS = 10;

constexpr std::size_t kSilentFrames = 1024;  // in a block
constexpr std::size_t kWidestSample = sizeof(double);
constexpr const char* kAsSilence =
    ": as much silence was put there (--container-times False: none)";

constexpr std::string_view kTimedContainers[] = {
    "asf", "dv", "flv", "matroska,webm", "mov,mp4,m4a,3gp,3g2,mj2", "mpeg", "mpegts", "mxf", "nut",
    "ogg", "rm", "wtv"};

// Limits for a container that knows its length, for one that does not, and the longest gap where
// times may begin anew: there ffmpeg takes a longer one for that.
constexpr GapLimits kKnownLength{6 * 3600.0, 6 * 3600.0, 0};
constexpr GapLimits kUnknownLength{3600.0, 3600.0, std::numeric_limits<double>::infinity()};
constexpr double kLongestOfJoined = 10;

class GapFiller final : public Decoder {
 public:
  GapFiller(std::unique_ptr<Decoder> decoder, const GapLimits& limits)
      : decoder_(std::move(decoder)), limits_(limits), warnings_(decoder_->warnings()) {}

  const PcmInfo& info() const override { return decoder_->info(); }
  const std::vector<std::string>& warnings() const override { return warnings_; }

  PcmBlock next() override {
    if (!waiting_) {
      waiting_ = decoder_->next();
      place(*waiting_);
    }
    if (n_silent_ > 0) return silence();
    const PcmBlock block = *std::exchange(waiting_, std::nullopt);
    if (block.n_frames == 0) tell();
    return block;
  }

 private:
  void place(const PcmBlock& block);
  void insert(double late_s, int sample_rate);
  void jump(double late_s, bool goes_on);
  PcmBlock silence();
  void tell();

  std::unique_ptr<Decoder> decoder_;
  GapLimits limits_;
  std::optional<PcmBlock> waiting_;  // behind the silence
  std::uint64_t n_silent_ = 0;       // frames of it, still to come
  std::vector<std::uint8_t> silence_;
  std::vector<const std::uint8_t*> planes_;

  double heard_s_ = 0;  // all that came, silence too
  double shift_s_ = 0;  // from the container's times to these, where they began anew
  std::optional<double> goes_on_at_s_;  // by the container
  bool has_jumped_ = false;             // the last block, by times that were not believed

  double late_s_ = 0;  // of the first block
  std::size_t n_gaps_ = 0;
  double gaps_s_ = 0;
  double first_gap_s_ = 0;                           // where
  std::optional<std::pair<double, double>> jump_s_;  // the first, and where
  std::vector<std::string> warnings_;
};

// Sums of lengths count, not a block's end alone: many small gaps are a large one.
void GapFiller::place(const PcmBlock& block) {
  if (block.n_frames == 0) return;
  const double length_s = static_cast<double>(block.n_frames) / block.layout.sample_rate;
  if (const auto begin_s = block.begin_s) {
    const double late_s = *begin_s + shift_s_ - heard_s_;
    const double longest_s = heard_s_ > 0 ? limits_.longest_s : limits_.start_s;
    const bool is_late = late_s > kToleranceS;
    const bool is_inside = *begin_s + std::min(shift_s_, 0.0) <= limits_.end_s;
    if (is_late && late_s <= longest_s && is_inside) {
      insert(late_s, block.layout.sample_rate);
    } else if (is_late || late_s < -kMostBackS) {
      jump(late_s, goes_on_at_s_ && std::abs(*begin_s - *goes_on_at_s_) <= kToleranceS);
    } else {
      has_jumped_ = false;
    }
    goes_on_at_s_ = *begin_s + length_s;
  }
  heard_s_ += length_s;
}

void GapFiller::insert(double late_s, int sample_rate) {
  has_jumped_ = false;
  n_silent_ = static_cast<std::uint64_t>(std::llround(late_s * sample_rate));
  if (heard_s_ == 0) {
    late_s_ = late_s;
  } else {
    if (n_gaps_++ == 0) first_gap_s_ = heard_s_;
    gaps_s_ += late_s;
  }
  heard_s_ += late_s;
  tell();
}

// One damaged time changes nothing. Where the next one goes on from it, a new count has begun.
void GapFiller::jump(double late_s, bool goes_on) {
  if (late_s > 0 && !jump_s_) {
    jump_s_ = {late_s, heard_s_};
    tell();
  }
  has_jumped_ = !(has_jumped_ && goes_on);
  if (!has_jumped_) shift_s_ -= late_s;
}

PcmBlock GapFiller::silence() {
  const PcmLayout& layout = waiting_->layout;
  const bool is_unsigned =
      layout.sample_format == AV_SAMPLE_FMT_U8 || layout.sample_format == AV_SAMPLE_FMT_U8P;
  const auto channels = static_cast<std::size_t>(layout.channels);
  silence_.assign(kSilentFrames * channels * kWidestSample, is_unsigned ? 0x80 : 0);
  planes_.assign(channels, silence_.data());
  const auto n = static_cast<std::size_t>(std::min<std::uint64_t>(n_silent_, kSilentFrames));
  n_silent_ -= n;
  return {layout, n, planes_.data()};
}

void GapFiller::tell() {
  warnings_ = decoder_->warnings();
  if (late_s_ > 0) {
    warnings_.push_back("expected sound from the container's beginning, found it " +
                        number_text(late_s_) + " s later" + kAsSilence);
  }
  if (n_gaps_ > 0) {
    warnings_.push_back("expected sound without gaps, found " + std::to_string(n_gaps_) +
                        " by the container's times, " + number_text(gaps_s_) +
                        " s together, the first at " + number_text(first_gap_s_) + " s" +
                        kAsSilence);
  }
  if (jump_s_) {
    warnings_.push_back("expected times that go on, found one " + number_text(jump_s_->first) +
                        " s further at " + number_text(jump_s_->second) +
                        " s, which was taken for no gap");
  }
}

}  // namespace

std::optional<GapLimits> gap_limits(const AVFormatContext& format) {
  const std::string_view name = format.iformat->name;
  const bool is_timed = std::ranges::find(kTimedContainers, name) != std::end(kTimedContainers);
  if (!is_timed || format.start_time == AV_NOPTS_VALUE) return std::nullopt;
  const bool has_length = format.duration != AV_NOPTS_VALUE &&
                          format.duration_estimation_method != AVFMT_DURATION_FROM_BITRATE;
  GapLimits limits = has_length ? kKnownLength : kUnknownLength;
  if (has_length) limits.end_s = static_cast<double>(format.duration) / AV_TIME_BASE;
  if ((format.iformat->flags & AVFMT_TS_DISCONT) != 0) limits.longest_s = kLongestOfJoined;
  return limits;
}

std::unique_ptr<Decoder> fill_gaps(std::unique_ptr<Decoder> decoder, const GapLimits& limits) {
  return std::make_unique<GapFiller>(std::move(decoder), limits);
}

}  // namespace wnpu::audio
