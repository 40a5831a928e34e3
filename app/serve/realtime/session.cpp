#include "app/serve/realtime/session.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <exception>
#include <filesystem>
#include <utility>

#include "app/stream/block_detector.h"
#include "app/stream/stream_recognizer.h"
#include "audio/read/stream_decoder.h"

namespace wnpu::serve {
namespace {

using std::chrono::milliseconds;

constexpr std::size_t kEventBytes = 256;  // that an event counts in the queue besides its audio
constexpr std::size_t kMostBytes = std::size_t{1440} << 10U;  // 30 s of PCM at 24 kHz
// Without samples for this long a client has stopped.
constexpr milliseconds kStalledAfter{1000};
// More audio than this waits: hypotheses would be late.
constexpr double kLateS = 0.1;

}  // namespace

void RealtimeQueue::push(ClientEvent event) {
  const std::scoped_lock lock(mutex_);
  size_ += event.audio.size() + kEventBytes;
  events_.push_back(std::move(event));
  changed_.notify_all();
}

void RealtimeQueue::end() {
  const std::scoped_lock lock(mutex_);
  is_ended_ = true;
  changed_.notify_all();
}

RealtimeQueue::Next RealtimeQueue::wait(milliseconds patience) {
  std::unique_lock lock(mutex_);
  changed_.wait_for(lock, patience, [this] { return is_ended_ || !events_.empty(); });
  if (is_ended_) return Next::end;
  if (events_.empty()) return Next::nothing;
  return events_.front().type == ClientEvent::Type::append ? Next::audio : Next::event;
}

std::size_t RealtimeQueue::take_audio(std::span<std::byte> out) {
  const std::scoped_lock lock(mutex_);
  const std::span<const std::byte> audio = std::span(events_.front().audio).subspan(at_);
  const std::size_t n = std::min(audio.size(), out.size());
  std::ranges::copy(audio.first(n), out.begin());
  at_ += n;
  if (n == audio.size()) drop_first();
  return n;
}

ClientEvent RealtimeQueue::take_event() {
  const std::scoped_lock lock(mutex_);
  ClientEvent event = std::move(events_.front());
  drop_first();
  return event;
}

// `at_`: bytes of audio that were counted with the event.
void RealtimeQueue::drop_first() {
  size_ -= std::exchange(at_, 0) + kEventBytes;
  events_.pop_front();
}

struct RealtimeSession::Recognition {
  Recognition(std::shared_ptr<const Model> of_model, const RealtimeOptions& options,
              const RealtimeSettings& settings, std::function<bool()> should_hurry)
      : model(std::move(of_model)),
        detector(std::filesystem::exists(options.transcribe.vad.weights)
                     ? std::filesystem::path(options.transcribe.vad.weights)
                     : std::filesystem::path()),
        session(*model, options.threads),
        recognizer(session, checked(options, settings), std::move(should_hurry)) {}

  TranscribeOptions checked(const RealtimeOptions& options,
                            const RealtimeSettings& settings) const {
    TranscribeOptions wanted = options.transcribe;
    wanted.language = settings.language;
    wanted.initial_prompt = settings.prompt;
    model->check(wanted);
    return wanted;
  }

  std::shared_ptr<const Model> model;
  app::BlockDetector detector;
  Session session;
  app::StreamRecognizer recognizer;
};

RealtimeSession::RealtimeSession(std::shared_ptr<const RealtimeOptions> options,
                                 const RealtimeSettings& settings,
                                 std::shared_ptr<RealtimeWriter> writer, RealtimeHooks hooks)
    : options_(std::move(options)),
      settings_(settings),
      writer_(std::move(writer)),
      hooks_(std::move(hooks)),
      items_(*writer_, hooks_.send) {}

RealtimeSession::~RealtimeSession() = default;

// The thread may have taken all of it before it was told of the room that lacks.
bool RealtimeSession::take(ClientEvent event) {
  queue_.push(std::move(event));
  if (queue_.size() < kMostBytes) return true;
  is_full_ = true;
  return queue_.size() < kMostBytes / 2 && is_full_.exchange(false);
}

void RealtimeSession::run() {
  try {
    work();
  } catch (...) {
    if (!queue_.is_ended()) items_.fail(api_error_of(std::current_exception()));
  }
  recognition_.reset();
  hooks_.ended();
  is_over_ = true;
}

void RealtimeSession::work() {
  while (true) {
    switch (wait()) {
      case RealtimeQueue::Next::audio:
        hear();
        break;
      case RealtimeQueue::Next::event:
        act_on(queue_.take_event());
        break;
      default:
        return;
    }
  }
}

// Samples up to the next event that is none of audio: there the resampler ends, and all it has
// comes out.
void RealtimeSession::hear() {
  if (!items_.is_listening()) listen();
  const auto reader = audio::open_pcm_stream([this](std::span<std::byte> out) { return read(out); },
                                             settings_.format, "audio");
  std::array<float, app::LiveTranscript::kBlock> samples;
  std::array<std::int16_t, samples.size()> steps;
  while (const std::size_t n = reader->read(samples)) {
    // They are whole steps of 2^-15.
    for (std::size_t i = 0; i < n; ++i) steps[i] = static_cast<std::int16_t>(samples[i] * 0x1p15F);
    items_.push(std::span(steps).first(n), is_late());
  }
}

void RealtimeSession::listen() {
  recognition_ = std::make_unique<Recognition>(model_, *options_, settings_,
                                               [this] { return queue_.is_ended(); });
  items_.listen(
      settings_.turns, [this](auto block) { return recognition_->detector.speech(block); },
      [this](const app::HeardAudio& heard) { return recognition_->recognizer.hear(heard); });
}

void RealtimeSession::act_on(const ClientEvent& event) {
  try {
    if (event.type == ClientEvent::Type::commit) {
      items_.commit();
    } else if (event.type == ClientEvent::Type::clear) {
      items_.clear();
    } else if (event.type == ClientEvent::Type::model) {
      items_.stop();
      model_ = event.model;
    } else {
      update(event.settings);
    }
  } catch (const ApiError& error) {
    hooks_.send(writer_->error(error, event.event_id));
  }
}

// A change of how audio is heard ends the item.
void RealtimeSession::update(const RealtimeSettings& settings) {
  RealtimeSettings wanted = settings;
  wanted.is_flat = settings_.is_flat;
  if (wanted != settings_) items_.stop();
  settings_ = settings;
  hooks_.send(writer_->session(settings_, false));
}

// Also where the client has nothing to say for a while.
RealtimeQueue::Next RealtimeSession::wait() {
  const int most = static_cast<int>(std::ceil(options_->idle_s));
  for (int waited = 0; waited < most; ++waited) {
    const RealtimeQueue::Next next = queue_.wait(kStalledAfter);
    if (next != RealtimeQueue::Next::nothing) return next;
    if (waited == 0) items_.stall();
  }
  throw ApiError(408,
                 "session: expected an event within " + std::to_string(most) + " s, found none", "",
                 "session_idle");
}

// Bytes for the resampler; 0 where other events come first.
std::size_t RealtimeSession::read(std::span<std::byte> out) {
  while (true) {
    const RealtimeQueue::Next next = wait();
    if (next == RealtimeQueue::Next::end) return audio::kStopped;
    if (next != RealtimeQueue::Next::audio) return 0;
    const std::size_t n = queue_.take_audio(out);
    if (queue_.size() < kMostBytes / 2 && is_full_.exchange(false)) hooks_.room();
    if (n > 0) return n;
  }
}

bool RealtimeSession::is_late() const {
  const double bytes = kLateS * settings_.format.sample_rate *
                       static_cast<double>(audio::bytes_per_frame(settings_.format));
  return static_cast<double>(queue_.size()) > bytes + static_cast<double>(kEventBytes);
}

RealtimeRoom::~RealtimeRoom() {
  end_all();
  for (Place& place : places_) place.thread.join();
}

std::shared_ptr<RealtimeSession> RealtimeRoom::open(const RealtimeSettings& settings,
                                                    std::shared_ptr<RealtimeWriter> writer,
                                                    RealtimeHooks hooks) {
  if (n_sessions() >= options_->most_sessions) {
    throw ApiError(503,
                   "realtime: expected at most " + std::to_string(options_->most_sessions) +
                       " sessions at once, found one more",
                   "", "too_many_sessions");
  }
  auto session =
      std::make_shared<RealtimeSession>(options_, settings, std::move(writer), std::move(hooks));
  places_.push_back({session, std::thread([session] { session->run(); })});
  return session;
}

std::size_t RealtimeRoom::n_sessions() {
  places_.remove_if([](Place& place) {
    if (!place.session->is_over()) return false;
    place.thread.join();
    return true;
  });
  return places_.size();
}

void RealtimeRoom::end_all() {
  for (Place& place : places_) place.session->end();
}

}  // namespace wnpu::serve
