#include "audio/speakers/diarizer.h"

#include <algorithm>
#include <cstdint>
#include <optional>

#include "audio/speakers/speaker_networks.h"
#include "audio/speakers/speaker_turns.h"
#include "audio/speakers/speech_runs.h"
#include "audio/speakers/voice_clusters.h"
#include "models/base/thread_pool.h"

namespace wnpu::audio {

struct VoicedPiece {
  SpeechPiece piece;
  std::optional<Voice> voice;
};

namespace {

constexpr std::size_t kWindow = SegmentationNet::kWindowSamples;
constexpr std::size_t kFrameSamples = SegmentationNet::kFrameSamples;
constexpr std::size_t kStep = SpeechRuns::kStepFrames * kFrameSamples;
constexpr std::size_t kWindowsAtOnce = 8;  // on a thread: enough for good matrix products
constexpr std::size_t kFbankMiddle = Fbank::kFrameSamples / 2;
// Samples before the next window that a piece may still need.
constexpr std::size_t kKept = (SpeechRuns::kMostFrames - SpeechRuns::kMarginFrames) * kFrameSamples;
// Frames of 10 ms that a voice is computed from at least, and 1.5 s at most: more tell it no better
// (bench/results/speakers.md).
constexpr std::size_t kLeastVoiceFrames = 12;
constexpr std::size_t kMostVoiceSamples = 149 * Fbank::kHop + Fbank::kFrameSamples;

// Voice of a piece where nobody else talks. `pcm` begins at the recording's sample `first`.
std::optional<Voice> voice_of(const SpeakerNetworks& model, const SpeechPiece& piece,
                              std::span<const std::uint8_t> n_talking, std::span<const float> pcm,
                              std::size_t first) {
  // Samples in which the filter bank's frames have their middles in the piece.
  const auto sample_of = [](std::size_t frame) {
    return frame * kFrameSamples + SegmentationNet::kFirstSample - kFbankMiddle;
  };
  std::size_t begin = std::max(sample_of(piece.begin), first);
  std::size_t end = std::min(sample_of(piece.end) + Fbank::kFrameSamples, first + pcm.size());
  if (end < begin + Fbank::kFrameSamples) return std::nullopt;
  if (end - begin > kMostVoiceSamples) begin += (end - begin - kMostVoiceSamples) / 2;
  end = std::min(end, begin + kMostVoiceSamples);
  models::Matrix heard = model.fbank.compute(pcm.subspan(begin - first, end - begin));
  std::vector<double> means(heard.cols());
  std::size_t n = 0;  // frames that are kept
  for (std::size_t i = 0; i < heard.rows(); ++i) {
    const std::size_t middle = begin + i * Fbank::kHop + kFbankMiddle;
    const std::size_t frame = (middle - SegmentationNet::kFirstSample) / kFrameSamples;
    if (frame >= n_talking.size() || n_talking[frame] != 1) continue;
    for (std::size_t c = 0; c < heard.cols(); ++c) {
      heard.row(n)[c] = heard.row(i)[c];
      means[c] += static_cast<double>(heard.row(n)[c]);
    }
    ++n;
  }
  if (n < kLeastVoiceFrames) return std::nullopt;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t c = 0; c < heard.cols(); ++c)
      heard.row(i)[c] -= static_cast<float>(means[c] / static_cast<double>(n));
  }
  const double seconds = static_cast<double>(n) * Fbank::kHop / 16000;
  return Voice{model.embedding.embed(heard.view().row_range(0, n)), seconds};
}

// Frames between two pieces.
std::size_t distance(const SpeechPiece& a, const SpeechPiece& b) {
  if (a.end < b.begin) return b.begin - a.end;
  return b.end < a.begin ? a.begin - b.end : 0;
}

// The voiced piece next to one without a voice: of its track, where there is one.
const VoicedPiece* nearest_voiced(const VoicedPiece& to, std::span<const VoicedPiece> pieces) {
  const VoicedPiece* nearest = nullptr;
  const auto key = [&](const VoicedPiece& from) {
    return std::pair(from.piece.track != to.piece.track, distance(from.piece, to.piece));
  };
  for (const VoicedPiece& from : pieces) {
    if (from.voice && (nearest == nullptr || key(from) < key(*nearest))) nearest = &from;
  }
  return nearest;
}

}  // namespace

struct Diarizer::State {
  const SpeakerNetworks& model;
  SpeakerCount count;
  models::ThreadPool pool;
  std::size_t at_once;           // windows
  std::vector<float> pending{};  // samples that are needed yet
  std::size_t first = 0;         // of them, in the recording
  std::size_t n_samples = 0;     // of the recording
  std::size_t n_windows = 0;
  SpeechRuns runs{};
  std::vector<VoicedPiece> pieces{};

  // Runs the next windows, which are pending.
  void run(std::size_t n) {
    std::vector<std::span<const float>> samples;
    for (std::size_t w = 0; w < n; ++w)
      samples.push_back(std::span<const float>(pending).subspan(next() + w * kStep, kWindow));
    // A thread's share, whatever it is: results do not depend on it.
    const std::size_t share = std::min(kWindowsAtOnce, (n - 1) / pool.n_threads() + 1);
    std::vector<SegmentationNet::Frames> frames(n);
    pool.parallel_for((n - 1) / share + 1, [&](std::size_t i, std::size_t) {
      const std::size_t from = i * share;
      const auto part = std::span(samples).subspan(from, std::min(share, n - from));
      std::ranges::copy(model.segmentation.speakers(part),
                        frames.begin() + static_cast<std::ptrdiff_t>(from));
    });
    for (const SegmentationNet::Frames& window : frames) runs.add(window);
    n_windows += n;
    hear_pieces();
    const std::size_t done = next() - std::min(next(), kKept);
    pending.erase(pending.begin(), pending.begin() + static_cast<std::ptrdiff_t>(done));
    first += done;
  }

  // Place of the next window in what is pending.
  std::size_t next() const { return n_windows * kStep - first; }

  std::size_t n_whole() const {
    return pending.size() < next() + kWindow ? 0 : (pending.size() - next() - kWindow) / kStep + 1;
  }

  void hear_pieces() {
    const std::vector<SpeechPiece> ended = runs.take();
    const std::size_t before = pieces.size();
    pieces.resize(before + ended.size());
    pool.parallel_for(ended.size(), [&](std::size_t i, std::size_t) {
      pieces[before + i] = {ended[i], voice_of(model, ended[i], runs.n_talking(), pending, first)};
    });
  }

  // Speakers in each frame of the recording.
  std::vector<std::uint32_t> frames() const {
    std::vector<Voice> voices;
    for (const VoicedPiece& piece : pieces) {
      if (piece.voice) voices.push_back(*piece.voice);
    }
    const std::vector<int> of_voices = cluster_voices(voices, count);
    std::vector<std::uint32_t> bits(pieces.size());
    for (std::size_t i = 0, voice = 0; i < pieces.size(); ++i) {
      if (pieces[i].voice) bits[i] = 1U << static_cast<unsigned>(of_voices[voice++]);
    }
    std::vector<std::uint32_t> out(runs.n_talking().size());
    for (std::size_t i = 0; i < pieces.size(); ++i) {
      const VoicedPiece* const heard =
          pieces[i].voice ? &pieces[i] : nearest_voiced(pieces[i], pieces);
      if (heard == nullptr) continue;
      for (std::size_t f = pieces[i].piece.begin; f < pieces[i].piece.end; ++f)
        out[f] |= bits[static_cast<std::size_t>(heard - pieces.data())];
    }
    return out;
  }
};

Diarizer::Diarizer(const SpeakerModel& model, SpeakerCount count, std::size_t n_threads, Pace pace)
    : state_(new State{model.networks(), count, models::ThreadPool(n_threads),
                       pace == Pace::live ? 1 : kWindowsAtOnce * n_threads}) {}

Diarizer::~Diarizer() = default;

void Diarizer::add(std::span<const float> pcm) {
  State& state = *state_;
  state.n_samples += pcm.size();
  while (!pcm.empty()) {
    const std::size_t enough = state.next() + kWindow + (state.at_once - 1) * kStep;
    const std::size_t n = std::min(pcm.size(), enough - state.pending.size());
    state.pending.insert(state.pending.end(), pcm.begin(),
                         pcm.begin() + static_cast<std::ptrdiff_t>(n));
    pcm = pcm.subspan(n);
    if (state.pending.size() == enough) state.run(state.at_once);
  }
}

Diarizer::Heard Diarizer::so_far() const {
  // Pieces that are still open began later.
  const std::size_t n = state_->runs.n_talking().size();
  const std::size_t settled = n - std::min(n, SpeechRuns::kMostFrames);
  return {turns_of(state_->frames(), std::min(state_->n_samples, n * kFrameSamples)),
          static_cast<double>(settled * kFrameSamples) / 16000};
}

std::vector<SpeakerTurn> Diarizer::finish() {
  State& state = *state_;
  if (state.n_whole() > 0) state.run(state.n_whole());
  // Samples that are in no window yet: one more, filled up with zeros.
  const std::size_t seen = state.n_windows == 0 ? 0 : kWindow - kStep;
  if (state.pending.size() > state.next() + seen) {
    state.pending.resize(state.next() + kWindow);
    state.run(1);
  }
  state.runs.finish();
  state.hear_pieces();
  std::vector<SpeakerTurn> turns = turns_of(state.frames(), state.n_samples);
  return turns;
}

}  // namespace wnpu::audio
