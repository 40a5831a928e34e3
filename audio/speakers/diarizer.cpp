#include "audio/speakers/diarizer.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "audio/speakers/speaker_networks.h"
#include "audio/speakers/speaker_turns.h"
#include "audio/speakers/voice_clusters.h"
#include "models/base/thread_pool.h"

namespace wnpu::audio {
namespace {

using Frames = SegmentationNet::Frames;
constexpr std::size_t kWindow = SegmentationNet::kWindowSamples;
constexpr std::size_t kFrames = SegmentationNet::kFrames;
constexpr std::size_t kSpeakers = SegmentationNet::kSpeakers;
// Frames from a window to the next: half a window, so that each frame is in the middle of one.
constexpr std::size_t kStepFrames = kFrames / 2 + 2;
constexpr std::size_t kStep = kStepFrames * SegmentationNet::kFrameSamples;
// First frame that is taken from a window, but for the first one's.
constexpr std::size_t kMargin = (kFrames - kStepFrames) / 2;
constexpr std::size_t kWindowsAtOnce = 8;  // on a thread: enough for good matrix products
// Frames of 10 ms that a voice is computed from.
constexpr std::size_t kMostVoiceFrames = 400;
constexpr std::size_t kLeastVoiceFrames = 40;

// Frame of the segmentation that a frame of the filter bank lies in.
std::size_t frame_under(std::size_t fbank_frame) {
  const std::size_t middle = fbank_frame * Fbank::kHop + Fbank::kFrameSamples / 2;
  const std::size_t first = SegmentationNet::kFirstSample;
  if (middle < first) return 0;
  return std::min((middle - first) / SegmentationNet::kFrameSamples, kFrames - 1);
}

// Voice of a local speaker where nobody else talks.
std::optional<Voice> voice_of(const SpeakerNetworks& model, const Frames& frames,
                              models::ConstMatrixView fbank, std::size_t speaker) {
  std::vector<std::size_t> alone;
  for (std::size_t i = 0; i < fbank.rows; ++i) {
    if (frames[frame_under(i)] == 1U << speaker) alone.push_back(i);
  }
  if (alone.size() < kLeastVoiceFrames) return std::nullopt;
  const std::size_t n = std::min(alone.size(), kMostVoiceFrames);
  const std::size_t first = (alone.size() - n) / 2;
  models::Matrix heard(n, fbank.cols);
  std::vector<double> means(fbank.cols);
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = fbank.row(alone[first + i]);
    for (std::size_t c = 0; c < fbank.cols; ++c) means[c] += static_cast<double>(row[c]);
  }
  for (std::size_t i = 0; i < n; ++i) {
    const auto row = fbank.row(alone[first + i]);
    for (std::size_t c = 0; c < fbank.cols; ++c)
      heard.row(i)[c] = row[c] - static_cast<float>(means[c] / static_cast<double>(n));
  }
  const double seconds = static_cast<double>(n) * Fbank::kHop / 16000;
  return Voice{model.embedding.embed(heard.view()), seconds};
}

std::uint32_t bits_of(std::uint8_t local, const std::array<std::uint32_t, kSpeakers>& bits) {
  std::uint32_t all = 0;
  for (std::size_t s = 0; s < kSpeakers; ++s) {
    if ((local >> s & 1U) != 0) all |= bits[s];
  }
  return all;
}

bool has_speech(const Frames& frames) {
  return std::ranges::any_of(frames, [](std::uint8_t bits) { return bits != 0; });
}

}  // namespace

struct Diarizer::State {
  struct Window {
    Frames frames{};                                     // who talks
    std::array<std::optional<Voice>, kSpeakers> voices;  // of those with speech of their own
  };

  const SpeakerNetworks& model;
  SpeakerCount count;
  models::ThreadPool pool;
  std::vector<float> pending;  // from the next window's first sample
  std::size_t n_samples = 0;   // of the recording
  std::vector<Window> windows{};

  // Runs the first windows of what is pending, which has them whole.
  void run(std::size_t n) {
    std::vector<std::span<const float>> samples;
    for (std::size_t w = 0; w < n; ++w)
      samples.push_back(std::span<const float>(pending).subspan(w * kStep, kWindow));
    const std::size_t first = windows.size();
    windows.resize(first + n);
    // A thread's share, whatever it is: results do not depend on it.
    const std::size_t share = std::min(kWindowsAtOnce, (n - 1) / pool.n_threads() + 1);
    pool.parallel_for((n - 1) / share + 1, [&](std::size_t i, std::size_t) {
      const std::size_t from = i * share;
      const auto part = std::span(samples).subspan(from, std::min(share, n - from));
      const std::vector<Frames> found = model.segmentation.speakers(part);
      for (std::size_t w = 0; w < found.size(); ++w) windows[first + from + w].frames = found[w];
    });
    pool.parallel_for(n, [&](std::size_t w, std::size_t) {
      Window& window = windows[first + w];
      if (!has_speech(window.frames)) return;
      const models::Matrix fbank = model.fbank.compute(samples[w]);
      for (std::size_t s = 0; s < kSpeakers; ++s)
        window.voices[s] = voice_of(model, window.frames, fbank.view(), s);
    });
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(n * kStep));
  }

  std::size_t n_whole() const {
    return pending.size() < kWindow ? 0 : (pending.size() - kWindow) / kStep + 1;
  }

  // Bits of the speakers of all windows' local ones.
  std::vector<std::array<std::uint32_t, kSpeakers>> linked() const {
    std::vector<Voice> voices;
    std::vector<std::pair<std::size_t, std::size_t>> places;  // window, local speaker
    for (std::size_t i = 0; i < kSpeakers * windows.size(); ++i) {
      const auto& voice = windows[i / kSpeakers].voices[i % kSpeakers];
      if (!voice) continue;
      voices.push_back(*voice);
      places.emplace_back(i / kSpeakers, i % kSpeakers);
    }
    const std::vector<int> speakers = cluster_voices(voices, count);
    std::vector<std::array<std::uint32_t, kSpeakers>> bits(windows.size());
    for (std::size_t i = 0; i < places.size(); ++i)
      bits[places[i].first][places[i].second] = 1U << static_cast<unsigned>(speakers[i]);
    return bits;
  }

  // Speakers in each frame of the recording.
  std::vector<std::uint32_t> frames() const {
    const auto bits = linked();
    std::vector<std::uint32_t> out;
    for (std::size_t w = 0; w < windows.size(); ++w) {
      const std::size_t from = w == 0 ? 0 : kMargin;
      const std::size_t to = w + 1 == windows.size() ? kFrames : kMargin + kStepFrames;
      for (std::size_t f = from; f < to; ++f) out.push_back(bits_of(windows[w].frames[f], bits[w]));
    }
    return out;
  }
};

Diarizer::Diarizer(const SpeakerModel& model, SpeakerCount count, std::size_t n_threads)
    : state_(new State{model.networks(), count, models::ThreadPool(n_threads), {}}) {}

Diarizer::~Diarizer() = default;

void Diarizer::add(std::span<const float> pcm) {
  State& state = *state_;
  const std::size_t at_once = kWindowsAtOnce * state.pool.n_threads();
  const std::size_t enough = kWindow + (at_once - 1) * kStep;
  state.n_samples += pcm.size();
  while (!pcm.empty()) {
    const std::size_t n = std::min(pcm.size(), enough - state.pending.size());
    state.pending.insert(state.pending.end(), pcm.begin(),
                         pcm.begin() + static_cast<std::ptrdiff_t>(n));
    pcm = pcm.subspan(n);
    if (state.pending.size() == enough) state.run(at_once);
  }
}

std::vector<SpeakerTurn> Diarizer::finish() {
  State& state = *state_;
  if (state.n_whole() > 0) state.run(state.n_whole());
  // Samples that no window has in its middle yet: one more, filled up with zeros.
  const bool is_seen = !state.windows.empty() && state.pending.size() <= kWindow - kStep;
  if (state.n_samples > 0 && !is_seen) {
    state.pending.resize(kWindow);
    state.run(1);
  }
  std::vector<SpeakerTurn> turns = turns_of(state.frames(), state.n_samples);
  state.pending.clear();
  state.windows.clear();
  state.n_samples = 0;
  return turns;
}

}  // namespace wnpu::audio
