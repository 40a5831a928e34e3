#include "audio/speakers/speech_runs.h"

#include <bit>
#include <utility>

namespace wnpu::audio {

void SpeechRuns::link(const Frames& window) {
  std::array<std::array<std::size_t, kSpeakers>, kSpeakers> together{};  // [before][now]
  for (std::size_t f = 0; n_windows_ > 0 && f + kStepFrames < window.size(); ++f) {
    for (std::size_t before = 0; before < kSpeakers; ++before) {
      for (std::size_t now = 0; now < kSpeakers; ++now)
        together[before][now] += last_[f + kStepFrames] >> before & window[f] >> now & 1U;
    }
  }
  std::array<Local, kSpeakers> locals;
  std::array<bool, kSpeakers> is_taken{}, is_linked{};
  for (std::size_t round = 0; round < kSpeakers; ++round) {
    std::size_t most = 0, from = 0, to = 0;
    for (std::size_t i = 0; i < kSpeakers * kSpeakers; ++i) {
      const std::size_t before = i / kSpeakers;
      const std::size_t now = i % kSpeakers;
      if (is_taken[before] || is_linked[now] || together[before][now] <= most) continue;
      most = together[before][now];
      from = before;
      to = now;
    }
    if (most == 0) break;
    is_taken[from] = is_linked[to] = true;
    locals[to] = std::exchange(locals_[from], {});
  }
  for (Local& local : locals_) close(local);
  for (std::size_t now = 0; now < kSpeakers; ++now) {
    if (!is_linked[now]) locals[now].track = n_tracks_++;
  }
  locals_ = locals;
}

void SpeechRuns::close(Local& local) {
  if (local.is_open) pieces_.push_back({local.begin, n_talking_.size(), local.track});
  local.is_open = false;
}

void SpeechRuns::hear(Local& local, bool talks) {
  if (!talks) return close(local);
  const std::size_t now = n_talking_.size();
  if (!local.is_open) local.begin = now;
  local.is_open = true;
  if (now + 1 - local.begin < kMostFrames) return;
  pieces_.push_back({local.begin, local.begin + kPieceFrames, local.track});
  local.begin += kPieceFrames;
}

void SpeechRuns::hear(const Frames& window, std::size_t from, std::size_t to) {
  for (std::size_t f = from; f < to; ++f) {
    for (std::size_t s = 0; s < kSpeakers; ++s) hear(locals_[s], (window[f] >> s & 1U) != 0);
    n_talking_.push_back(static_cast<std::uint8_t>(std::popcount(window[f])));
  }
}

void SpeechRuns::add(const Frames& window) {
  link(window);
  hear(window, n_windows_ == 0 ? 0 : kMarginFrames, kMarginFrames + kStepFrames);
  last_ = window;
  ++n_windows_;
}

void SpeechRuns::finish() {
  if (n_windows_ > 0) hear(last_, kMarginFrames + kStepFrames, last_.size());
  for (Local& local : locals_) close(local);
}

std::vector<SpeechPiece> SpeechRuns::take() { return std::exchange(pieces_, {}); }

}  // namespace wnpu::audio
