#include "app/stream/live_speakers.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "app/engine/session/listeners.h"

namespace wnpu::app {
namespace {

constexpr std::size_t kLeastBetween = std::size_t{5} * 16000;
constexpr std::size_t kShareBetween = 100;

}  // namespace

LiveSpeakers::LiveSpeakers(const SpeakerOptions& options, std::size_t n_threads)
    : model_(open_speaker_model(options.weights)),
      diarizer_(model_, {static_cast<int>(options.min), static_cast<int>(options.max)}, n_threads,
                audio::Diarizer::Pace::live),
      labels_(options.names),
      next_(kLeastBetween) {}

void LiveSpeakers::add(std::span<const std::int16_t> samples) {
  std::vector<float> pcm(samples.size());
  std::ranges::transform(samples, pcm.begin(),
                         [](std::int16_t x) { return static_cast<float>(x) / 32768.0F; });
  diarizer_.add(pcm);
  n_samples_ += samples.size();
}

std::vector<StreamEvent> LiveSpeakers::settled() {
  if (n_samples_ < next_) return {};
  next_ = n_samples_ + std::max(kLeastBetween, n_samples_ / kShareBetween);
  auto [turns, end_s] = diarizer_.so_far();
  return labelled(std::move(turns), end_s);
}

std::vector<StreamEvent> LiveSpeakers::rest() {
  return labelled(diarizer_.finish(), std::numeric_limits<double>::infinity());
}

std::vector<StreamEvent> LiveSpeakers::labelled(std::vector<audio::SpeakerTurn> turns,
                                                double settled_s) {
  std::vector<StreamEvent> events = labels_.take(std::move(turns), settled_s);
  for (StreamEvent& event : events) event.heard = static_cast<double>(n_samples_) / 16000;
  return events;
}

}  // namespace wnpu::app
