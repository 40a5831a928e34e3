// The window loop: log-mel windows -> tokens -> segments. It stands here once, for all devices and
// modes: a window at a time, or several together, of one file's clips or of several files.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <vector>

#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/transcription_job.h"

namespace wnpu::app {

class ClipLoop {
 public:
  // At most n_together windows are decoded at once. The recognizer must outlive the loop.
  ClipLoop(Recognizer& recognizer, std::size_t n_together, std::function<bool()> should_stop);

  // Windows that can be at work: those that are decoded, and beside them, on a device, as many that
  // are encoded.
  std::size_t n_at_work() const { return overlaps() ? 2 * n_together_ : n_together_; }

  // Decodes one window of each of the first clips, n_together at most, after encoding it or, on a
  // device, beside encoding the next ones; then has the files hand out finished segments. Throws
  // models::Stopped; the segments of finished windows are in the transcripts then.
  void run_round(std::span<TranscriptionJob* const> files);

 private:
  using Batch = std::vector<ActiveClip*>;  // windows that are worked on together, one a clip

  // The first clips whose window is encoded, or is not: no more than are decoded together.
  Batch next_batch(std::span<TranscriptionJob* const> files, bool is_encoded) const;
  bool overlaps() const;
  // Into slots 0, 1, ...; what is left of the batch where a file fails, or a window has to be made
  // again.
  Batch encode_into_slots(Batch batch);
  // Into the clips, beside others that are decoded, which have the slots.
  void encode_into_clips(Batch batch);
  // Puts encoded windows that are in their clips into slots 0, 1, ...; what is left, as above.
  Batch keep(const Batch& batch);
  // Puts a window with these states into the slot behind those of `kept`, unless it has to be made
  // again.
  void keep(ActiveClip& clip, const models::EncoderStates& states, Batch& kept);
  void decode(const Batch& batch);

  Recognizer& recognizer_;
  std::size_t n_together_;
  std::function<bool()> should_stop_;
  models::EncoderStates states_;  // of a window on its way into its slot
};

// One file. Throws AudioError, DeviceError, models::Stopped (before any audio is read; later the
// transcript is `truncated`), std::invalid_argument (language, task).
Transcript transcribe_file(Recognizer& recognizer, const TranscribeOptions& options,
                           const audio::Input& input, const Callbacks& callbacks = {},
                           audio::VadThread* vad = nullptr);

}  // namespace wnpu::app
