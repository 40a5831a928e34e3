#include "app/engine/windows/clip_loop.h"

#include <exception>
#include <future>
#include <numeric>
#include <utility>

#include "decoder/text/fallback.h"
#include "models/base/error.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

// The time of a scope, in equal parts to the files of a batch's windows.
class SharedTimer {
 public:
  SharedTimer(std::span<ActiveClip* const> batch, double Timing::*stage)
      : batch_(batch), stage_(stage) {}
  ~SharedTimer() {
    const double part = models::seconds_since(start_) / static_cast<double>(batch_.size());
    for (const ActiveClip* const clip : batch_) clip->file->transcript().timing.*stage_ += part;
  }
  SharedTimer(const SharedTimer&) = delete;
  SharedTimer& operator=(const SharedTimer&) = delete;

 private:
  std::span<ActiveClip* const> batch_;
  double Timing::*stage_;
  models::Clock::time_point start_ = models::Clock::now();
};

// Decodes the batch's windows; those that fail a test again, together, at the next temperature.
std::vector<decoder::Decoded> decode_with_fallback(Recognizer& recognizer,
                                                   std::span<ActiveClip* const> batch) {
  const WindowOptions& options = batch.front()->file->window_options();
  std::vector<std::vector<decoder::Decoded>> tries(batch.size());
  std::vector<std::size_t> open(batch.size());
  std::iota(open.begin(), open.end(), 0);
  for (const double temperature : options.temperatures()) {
    std::vector<DecodeJob> jobs;
    for (const std::size_t i : open)
      jobs.push_back(batch[i]->file->decode_job(*batch[i], temperature));
    std::vector<decoder::Decoded> decoded = recognizer.decode(jobs);
    std::vector<std::size_t> failed;
    for (std::size_t j = 0; j < open.size(); ++j) {
      batch[open[j]]->file->transcript().n_tokens += decoded[j].tokens.size();
      if (decoder::needs_fallback(decoded[j], options.thresholds())) failed.push_back(open[j]);
      tries[open[j]].push_back(std::move(decoded[j]));
    }
    open = std::move(failed);
    if (open.empty()) break;
  }
  for (const std::size_t i : open) {
    std::swap(tries[i][decoder::best_try(tries[i], options.thresholds())], tries[i].back());
  }
  std::vector<decoder::Decoded> kept;
  for (auto& of_window : tries) kept.push_back(std::move(of_window.back()));
  return kept;
}

// The log-mel of the batch's windows; a window whose file fails leaves the batch.
std::vector<EncodeJob> load(std::vector<ActiveClip*>& batch) {
  std::vector<EncodeJob> jobs;
  std::erase_if(batch, [&](ActiveClip* const clip) {
    if (!clip->file->next_window(*clip)) return true;
    jobs.push_back({&clip->mel, &clip->states});
    return false;
  });
  return jobs;
}

}  // namespace

ClipLoop::ClipLoop(Recognizer& recognizer, std::size_t n_together,
                   std::function<bool()> should_stop)
    : recognizer_(recognizer), n_together_(n_together), should_stop_(std::move(should_stop)) {}

bool ClipLoop::overlaps() const { return n_together_ > 1 && recognizer_.encoder().is_on_device(); }

// One batch is decoded. Where that pays, the next is encoded at the same time: the encoder's thread
// touches its clips, their files' log-mel, n_windows, timing.mel and timing.encode, this thread all
// else. The encoder's exception comes last, when what was decoded has been handed out.
void ClipLoop::run_round(std::span<TranscriptionJob* const> files) {
  for (TranscriptionJob* const file : files) file->open_clips(n_at_work());
  const Batch to_encode = next_batch(files, false);
  const Batch to_decode = next_batch(files, true);
  const auto emit_segments = [&] {
    for (TranscriptionJob* const file : files) file->emit_segments();
  };
  if (!overlaps()) {
    // Encoded windows, left over if a device has failed meanwhile, are decoded first.
    decode(to_decode.empty() ? encode_into_slots(to_encode) : keep(to_decode));
    return emit_segments();
  }
  // Deferred if no thread can be started: the task then runs inside get().
  auto encoded =
      std::async(std::launch::async | std::launch::deferred, [&] { encode_into_clips(to_encode); });
  // The encoder, which is asked to stop too, is waited for where this throws.
  decode(keep(to_decode));
  emit_segments();
  encoded.get();
}

ClipLoop::Batch ClipLoop::next_batch(std::span<TranscriptionJob* const> files,
                                     bool is_encoded) const {
  Batch batch;
  for (TranscriptionJob* const file : files) {
    for (ActiveClip& clip : file->clips()) {
      if (batch.size() == n_together_) return batch;
      if (!clip.is_done() && clip.is_encoded == is_encoded) batch.push_back(&clip);
    }
  }
  return batch;
}

ClipLoop::Batch ClipLoop::encode_into_slots(Batch batch) {
  std::vector<EncodeJob> jobs = load(batch);
  Batch kept;
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ActiveClip& clip = *batch[i];
    Timing& timing = clip.file->transcript().timing;
    jobs[i].states = &states_;
    models::timed(timing.encode, [&] { recognizer_.encoder().encode({&jobs[i], 1}); });
    clip.states = {};  // of a window before, on a device that has failed
    keep(clip, states_, kept);
  }
  return kept;
}

void ClipLoop::encode_into_clips(Batch batch) {
  const std::vector<EncodeJob> jobs = load(batch);
  const SharedTimer timer(batch, &Timing::encode);
  recognizer_.encoder().encode(jobs);
  for (ActiveClip* const clip : batch) clip->is_encoded = true;
}

ClipLoop::Batch ClipLoop::keep(const Batch& batch) {
  Batch kept;
  for (ActiveClip* const clip : batch) {
    if (should_stop_ && should_stop_()) throw models::Stopped();
    keep(*clip, clip->states, kept);
  }
  return kept;
}

void ClipLoop::keep(ActiveClip& clip, const models::EncoderStates& states, Batch& kept) {
  const models::StageTimer timer(clip.file->transcript().timing.decode);
  clip.is_encoded = clip.file->settle_window(clip, states);
  if (!clip.is_encoded) return;
  recognizer_.keep(kept.size(), states);
  kept.push_back(&clip);
}

void ClipLoop::decode(const Batch& batch) {
  if (batch.empty()) return;
  const SharedTimer timer(batch, &Timing::decode);
  for (std::size_t i = 0; i < batch.size(); ++i) batch[i]->slot = i;
  const auto decoded = decode_with_fallback(recognizer_, batch);
  for (std::size_t i = 0; i < batch.size(); ++i) {
    ActiveClip& clip = *batch[i];
    clip.file->finish_window(clip, decoded[i]);
    clip.is_encoded = false;
    if (!clip.is_done()) continue;
    clip.mel = {};  // it may have to wait for clips before it
    clip.states = {};
  }
}

Transcript transcribe_file(Recognizer& recognizer, const TranscribeOptions& options,
                           const audio::Input& input, const Callbacks& callbacks,
                           audio::VadThread* vad) {
  recognizer.set_should_stop(callbacks.should_stop);
  TranscriptionJob file(recognizer, options, input, callbacks, vad);
  try {
    file.begin();
    ClipLoop loop(recognizer, options.batch_size, callbacks.should_stop);
    TranscriptionJob* const job = &file;
    while (!file.is_done()) loop.run_round({&job, 1});
    if (file.failure()) std::rethrow_exception(file.failure());
  } catch (const models::Stopped&) {
    return file.finish(false);
  }
  return file.finish(true);
}

}  // namespace wnpu::app
