#include "app/engine/windows/clip_loop.h"

#include <future>
#include <utility>

#include "app/engine/windows/decode_with_fallback.h"
#include "models/base/stage_timer.h"
#include "models/base/stopped.h"

namespace wnpu::app {
namespace {

// The time of a scope, in equal parts to the files of a batch's windows.
class SharedTimer {
 public:
  SharedTimer(std::span<OpenClip* const> batch, double Timing::*stage)
      : batch_(batch), stage_(stage) {}
  ~SharedTimer() {
    const double part = models::seconds_since(start_) / static_cast<double>(batch_.size());
    for (const OpenClip* const clip : batch_) clip->file->transcript().timing.*stage_ += part;
  }
  SharedTimer(const SharedTimer&) = delete;
  SharedTimer& operator=(const SharedTimer&) = delete;

 private:
  std::span<OpenClip* const> batch_;
  double Timing::*stage_;
  models::Clock::time_point start_ = models::Clock::now();
};

}  // namespace

ClipLoop::ClipLoop(Recognizer& recognizer, std::size_t n_together,
                   std::function<bool()> should_stop)
    : recognizer_(recognizer), n_together_(n_together), should_stop_(std::move(should_stop)) {}

bool ClipLoop::overlaps() const { return n_together_ > 1 && recognizer_.encoder().is_on_device(); }

// One batch is decoded. Where that pays, the next is encoded at the same time: the encoder's thread
// touches its clips, their files' log-mel, n_windows, timing.mel and timing.encode, this thread all
// else. The encoder's exception comes last, when what was decoded has been handed out.
void ClipLoop::run_round(std::span<FileClips* const> files) {
  for (FileClips* const file : files) file->open(n_at_work());
  const Batch to_encode = next_batch(files, false);
  const Batch to_decode = next_batch(files, true);
  const auto hand_out = [&] {
    for (FileClips* const file : files) file->hand_out();
  };
  if (!overlaps()) {
    // Encoded windows, left over if a device has failed meanwhile, are decoded first.
    decode(to_decode.empty() ? encode_into_slots(to_encode) : to_decode);
    return hand_out();
  }
  // Deferred if no thread can be started: the task then runs inside get().
  auto encoded =
      std::async(std::launch::async | std::launch::deferred, [&] { encode_into_clips(to_encode); });
  decode(to_decode);  // where it throws, the encoder, which is asked to stop too, is waited for
  hand_out();
  encoded.get();
}

ClipLoop::Batch ClipLoop::next_batch(std::span<FileClips* const> files, bool is_encoded) const {
  Batch batch;
  for (FileClips* const file : files) {
    for (OpenClip& clip : file->clips()) {
      if (batch.size() == n_together_) return batch;
      if (!clip.is_done() && clip.is_encoded == is_encoded) batch.push_back(&clip);
    }
  }
  return batch;
}

ClipLoop::Batch ClipLoop::encode_into_slots(const Batch& batch) {
  Batch encoded;
  for (OpenClip* const clip : batch) {
    const models::LogMel* const mel = clip->file->next_window(*clip);
    if (mel == nullptr) continue;
    Timing& timing = clip->file->transcript().timing;
    const EncodeJob job{mel, &states_};
    models::timed(timing.encode, [&] { recognizer_.encoder().encode({&job, 1}); });
    models::timed(timing.decode, [&] { recognizer_.keep(encoded.size(), states_); });
    clip->states = {};  // of a window before, on a device that has failed
    clip->is_encoded = true;
    encoded.push_back(clip);
  }
  return encoded;
}

void ClipLoop::encode_into_clips(const Batch& batch) {
  std::vector<EncodeJob> jobs;
  Batch encoded;
  for (OpenClip* const clip : batch) {
    const models::LogMel* const mel = clip->file->next_window(*clip);
    if (mel == nullptr) continue;
    jobs.push_back({mel, &clip->states});
    encoded.push_back(clip);
  }
  const SharedTimer timer(encoded, &Timing::encode);
  recognizer_.encoder().encode(jobs);
  for (OpenClip* const clip : encoded) clip->is_encoded = true;
}

void ClipLoop::decode(const Batch& batch) {
  if (batch.empty()) return;
  const SharedTimer timer(batch, &Timing::decode);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    if (should_stop_ && should_stop_()) throw models::Stopped();
    batch[i]->slot = i;
    if (batch[i]->states.values.size() > 0) recognizer_.keep(i, batch[i]->states);
  }
  const auto make_job = [&](std::size_t i, double temperature) {
    return batch[i]->file->job(*batch[i], temperature);
  };
  const auto tries = decode_with_fallback(recognizer_, batch.front()->file->window_options(),
                                          batch.size(), make_job);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    OpenClip& clip = *batch[i];
    clip.file->transcript().n_tokens += tries[i].n_tokens;
    clip.file->finish_window(clip, tries[i].kept);
    clip.is_encoded = false;
    if (!clip.is_done()) continue;
    clip.mel = {};  // it may have to wait for clips before it
    clip.states = {};
  }
}

}  // namespace wnpu::app
