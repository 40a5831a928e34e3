// The window loop: log-mel windows -> tokens -> segments. It stands here once, for all devices and
// modes: windows of one file's clips or of several files are encoded, join the decoder's steps, and
// leave them as they end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <exception>
#include <functional>
#include <future>
#include <span>
#include <vector>

#include "app/engine/windows/kept_windows.h"
#include "app/engine/windows/recognizer.h"
#include "app/engine/windows/transcription_job.h"

namespace wnpu::app {

// Steps of the decoder, and windows in them.
struct StepCount {
  std::uint64_t n = 0;
  std::uint64_t n_windows = 0;
};

// Adds seconds, in equal parts, to the files of these windows.
void share_time(std::span<ActiveClip* const> clips, double Timing::*stage, double seconds);

// Windows that may be decoded at once: of any recording, and beside them of short ones.
struct WindowRoom {
  std::size_t n_together = 1;
  std::size_t n_of_short = 0;
};

class WindowLoop {
 public:
  // Short recordings, where there is room of their own, do not wait for long ones: while they are
  // at work the others have every eighth step; and at most one long window is encoded in a turn.
  // The recognizer must outlive the loop.
  WindowLoop(Recognizer& recognizer, WindowRoom room, std::function<bool()> should_stop);
  // Gives up what is at work.
  ~WindowLoop();
  WindowLoop(const WindowLoop&) = delete;

  // Has windows kept with their states; null: not. Those of one recording.
  void keep_windows(KeptWindows* kept) { kept_ = kept; }

  // Windows that can be at work: those that are decoded, and beside them, on a device, as many that
  // are encoded.
  std::size_t n_at_work() const { return overlaps_ ? 2 * slots_.size() : slots_.size(); }
  const StepCount& steps() const { return steps_; }

  // Puts windows of the jobs into free slots, encoding them or, on a device, while others are
  // decoded; then one step of the decoder. The job that had the fewest windows comes first, of
  // several the shortest; each fourth time it is the one that has waited longest. Segments of a
  // window that has ended are its job's to emit. Throws models::Stopped, and DeviceError once all
  // that was encoded is decoded.
  void turn(std::span<TranscriptionJob* const> jobs);
  // Gives up the job's windows; comes before a job goes that is not done.
  void drop(const TranscriptionJob& job);

 private:
  // A window that is decoded, and what came of it at the temperatures so far.
  struct Slot {
    ActiveClip* clip = nullptr;
    std::vector<decoder::Decoded> tries;
  };
  using Jobs = std::span<TranscriptionJob* const>;
  // Jobs whose turn it is.
  enum class Whose { all, of_short };

  // Not while it encodes.
  void look_at_device() { overlaps_ = slots_.size() > 1 && recognizer_.encoder().is_on_device(); }
  ActiveClip* next_clip(Jobs jobs, ActiveClip::Stage stage, Whose whose = Whose::all);
  void encode_ahead(Jobs jobs);
  // Waits for the windows that are encoded ahead.
  void take_encoded();
  void fill_slots(Jobs jobs, Whose whose);
  bool fill(std::size_t slot, Jobs jobs, Whose whose);
  bool encode(ActiveClip& clip);
  bool keep(std::size_t slot, ActiveClip& clip, const models::EncoderStates& states);
  void step(Whose whose);
  void finish(std::size_t slot, decoder::Decoded decoded);
  std::vector<ActiveClip*> at_work(Whose whose = Whose::all) const;

  Recognizer& recognizer_;
  WindowRoom room_;
  std::function<bool()> should_stop_;
  KeptWindows* kept_ = nullptr;
  std::vector<Slot> slots_;
  bool overlaps_ = false;  // windows are encoded while others are decoded
  StepCount steps_;
  std::size_t n_turns_ = 0;            // that jobs have had
  std::size_t n_of_short_ = 0;         // turns that only short recordings had, one after the other
  models::EncoderStates states_;       // of a window on its way into its slot
  std::vector<ActiveClip*> ahead_;     // being encoded while others are decoded
  std::future<double> encoding_;       // of ahead_: seconds that it took
  std::exception_ptr device_failure_;  // told when the slots are empty
};

// All windows of a file that has begun, to be kept where that is asked for. Throws AudioError,
// DeviceError, models::Stopped.
void decode_windows(Recognizer& recognizer, const TranscribeOptions& options,
                    TranscriptionJob& file, const std::function<bool()>& should_stop,
                    KeptWindows* kept = nullptr);

// One file. Throws AudioError, DeviceError, models::Stopped (before any audio is read; later the
// transcript is `truncated`), std::invalid_argument (language, task).
Transcript transcribe_file(Recognizer& recognizer, const TranscribeOptions& options,
                           const audio::Input& input, const Callbacks& callbacks = {},
                           const Listeners& listeners = {});

}  // namespace wnpu::app
