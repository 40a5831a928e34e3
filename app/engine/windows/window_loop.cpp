#include "app/engine/windows/window_loop.h"

#include <algorithm>
#include <utility>

#include "decoder/text/fallback.h"
#include "models/base/error.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

using Stage = ActiveClip::Stage;

// Every so many turns the job that has waited longest has its turn, however many windows it had.
constexpr std::size_t kTurnsOfFewest = 4;

// Turns that only short recordings have before all have one.
constexpr std::size_t kTurnsOfShort = 7;

}  // namespace

WindowLoop::WindowLoop(Recognizer& recognizer, WindowRoom room, std::function<bool()> should_stop)
    : recognizer_(recognizer),
      room_(room),
      should_stop_(std::move(should_stop)),
      slots_(room.n_together + room.n_of_short) {
  look_at_device();
}

WindowLoop::~WindowLoop() {
  for (std::size_t i = 0; i < slots_.size(); ++i) recognizer_.scheduler().drop(i);
}

void WindowLoop::turn(Jobs jobs) {
  if (should_stop_ && should_stop_()) throw models::Stopped();
  if (device_failure_ && at_work().empty())
    std::rethrow_exception(std::exchange(device_failure_, nullptr));
  for (TranscriptionJob* const job : jobs) {
    job->open_clips(n_at_work());
    if (!job->turns().waits_since) job->turns().waits_since = n_turns_;
  }
  encode_ahead(jobs);
  const bool is_of_all = room_.n_of_short == 0 || n_of_short_ == kTurnsOfShort;
  if (!is_of_all) fill_slots(jobs, Whose::of_short);
  const auto whose = is_of_all || at_work(Whose::of_short).empty() ? Whose::all : Whose::of_short;
  if (whose == Whose::all) fill_slots(jobs, whose);
  n_of_short_ = whose == Whose::all ? 0 : n_of_short_ + 1;
  step(whose);
}

void WindowLoop::fill_slots(Jobs jobs, Whose whose) {
  const std::size_t n_long = at_work().size() - at_work(Whose::of_short).size();
  if (whose == Whose::all && n_long >= room_.n_together) return;
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (slots_[i].clip != nullptr) continue;
    if (!fill(i, jobs, whose)) return;
    if (whose == Whose::all && room_.n_of_short > 0) return;
  }
}

void WindowLoop::drop(const TranscriptionJob& job) {
  const auto is_of_job = [&](const ActiveClip* clip) { return clip && clip->file == &job; };
  if (std::ranges::any_of(ahead_, is_of_job)) take_encoded();
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    if (!is_of_job(slots_[i].clip)) continue;
    recognizer_.scheduler().drop(i);
    slots_[i] = {};
  }
}

// Turns of jobs are counted, so that which comes next does not depend on time.
ActiveClip* WindowLoop::next_clip(Jobs jobs, Stage stage, Whose whose) {
  const bool is_of_longest = n_turns_ % kTurnsOfFewest == kTurnsOfFewest - 1;
  const auto rank = [&](const TranscriptionJob& job) {
    if (is_of_longest) return std::pair(*job.turns().waits_since, 0.0);
    return std::pair(job.turns().n, job.duration_s());
  };
  TranscriptionJob* next = nullptr;
  ActiveClip* of_next = nullptr;
  for (TranscriptionJob* const job : jobs) {
    if (job->failure() || (whose == Whose::of_short && !job->is_short())) continue;
    if (next != nullptr && rank(*job) >= rank(*next)) continue;
    ActiveClip* const clip = job->first_clip(stage);
    if (clip == nullptr) continue;
    next = job;
    of_next = clip;
  }
  if (next != nullptr) next->turns() = {.n = next->turns().n + 1, .waits_since = ++n_turns_};
  return of_next;
}

// False: there is no window for the slot.
bool WindowLoop::fill(std::size_t slot, Jobs jobs, Whose whose) {
  for (;;) {
    if (should_stop_ && should_stop_()) throw models::Stopped();
    if (ActiveClip* const clip = next_clip(jobs, Stage::encoded, whose)) {
      if (keep(slot, *clip, clip->states)) return true;
      continue;
    }
    if (overlaps_ || device_failure_) return false;
    ActiveClip* const clip = next_clip(jobs, Stage::waiting, whose);
    if (clip == nullptr) return false;
    if (encode(*clip) && keep(slot, *clip, states_)) return true;
  }
}

// False: its file has failed.
bool WindowLoop::encode(ActiveClip& clip) {
  if (!clip.file->next_window(clip)) return false;
  const EncodeJob job{&clip.mel, &states_};
  models::timed(clip.file->transcript().timing.encode, [&] {
    recognizer_.encoder().encode({&job, 1});
  });
  clip.states = {};  // of a window before, on a device that has failed
  return true;
}

// False: the window has to be made again, up to where another language begins.
bool WindowLoop::keep(std::size_t slot, ActiveClip& clip, const models::EncoderStates& states) {
  const models::StageTimer timer(clip.file->transcript().timing.decode);
  clip.stage = Stage::waiting;
  if (!clip.file->settle_window(clip, states)) return false;
  if (kept_ != nullptr) kept_->keep(clip.window.seek, clip.window.size, states);
  recognizer_.keep(slot, states);
  clip.slot = slot;
  clip.stage = Stage::decoding;
  slots_[slot].clip = &clip;
  recognizer_.admit(
      clip.file->decode_job(clip, clip.file->window_options().temperatures().front()));
  return true;
}

std::vector<ActiveClip*> WindowLoop::at_work(Whose whose) const {
  std::vector<ActiveClip*> clips;
  for (const Slot& slot : slots_) {
    if (slot.clip == nullptr) continue;
    if (whose == Whose::all || slot.clip->file->is_short()) clips.push_back(slot.clip);
  }
  return clips;
}

void WindowLoop::step(Whose whose) {
  const std::vector<ActiveClip*> clips = at_work(whose);
  if (clips.empty()) return;
  std::vector<std::size_t> numbers;
  for (const ActiveClip* const clip : clips) numbers.push_back(clip->slot);
  const auto start = models::Clock::now();
  recognizer_.scheduler().step(numbers);
  ++steps_.n;
  steps_.n_windows += clips.size();
  share_time(clips, &Timing::decode, models::seconds_since(start));
  while (auto ended = recognizer_.scheduler().retire())
    finish(ended->first, std::move(ended->second));
}

// A window that fails a test is decoded again, at the next temperature.
void WindowLoop::finish(std::size_t slot, decoder::Decoded decoded) {
  auto& [clip, tries] = slots_[slot];
  TranscriptionJob& file = *clip->file;
  const models::StageTimer timer(file.transcript().timing.decode);
  const WindowOptions& options = file.window_options();
  file.transcript().n_tokens += decoded.tokens.size();
  tries.push_back(std::move(decoded));
  if (decoder::needs_fallback(tries.back(), options.thresholds())) {
    if (tries.size() < options.temperatures().size())
      return recognizer_.admit(file.decode_job(*clip, options.temperatures()[tries.size()]));
    std::swap(tries[decoder::best_try(tries, options.thresholds())], tries.back());
  }
  const Slot ended = std::exchange(slots_[slot], {});
  file.finish_window(*ended.clip, ended.tries.back());
  ended.clip->stage = Stage::waiting;
  if (!ended.clip->is_done()) return;
  ended.clip->mel = {};  // it may have to wait for clips before it
  ended.clip->states = {};
}

void decode_windows(Recognizer& recognizer, const TranscribeOptions& options,
                    TranscriptionJob& file, const std::function<bool()>& should_stop,
                    KeptWindows* kept) {
  WindowLoop loop(recognizer, {options.batch_size}, should_stop);
  loop.keep_windows(kept);
  TranscriptionJob* const job = &file;
  for (; !file.is_done(); file.emit_segments()) loop.turn({&job, 1});
  if (file.failure()) std::rethrow_exception(file.failure());
}

Transcript transcribe_file(Recognizer& recognizer, const TranscribeOptions& options,
                           const audio::Input& input, const Callbacks& callbacks,
                           const Listeners& listeners) {
  recognizer.set_should_stop(callbacks.should_stop);
  TranscriptionJob file(recognizer, options, input, callbacks, listeners);
  try {
    file.begin();
    decode_windows(recognizer, options, file, callbacks.should_stop);
  } catch (const models::Stopped&) {
    return file.finish(false);
  }
  return file.finish(true);
}

}  // namespace wnpu::app
