#include "app/serve/realtime/items.h"

#include <algorithm>
#include <utility>

namespace wnpu::serve {
namespace {

constexpr double kRate = 16000;
constexpr std::uint64_t kFewestSamples = 1600;  // of a commit: 0.1 s

std::uint64_t ms_of(double seconds) {
  return static_cast<std::uint64_t>(std::max(seconds, 0.0) * 1000 + 0.5);
}

}  // namespace

void RealtimeItems::listen(const std::optional<RealtimeTurns>& turns,
                           app::LiveTranscript::SpeechFn speech,
                           app::LiveTranscript::RecogniseFn recognise) {
  stop();
  turns_ = turns;
  speech_ = std::move(speech);
  recognise_ = std::move(recognise);
  restart();
}

void RealtimeItems::stop() {
  if (!transcript_) return;
  if (!item_.empty()) {
    commit_item();
    transcript_->finish();
    if (!item_.empty()) complete_item();
  }
  before_s_ = heard_s();
  transcript_.reset();
}

void RealtimeItems::restart() {
  app::LiveOptions options;
  if (turns_) {
    options.threshold = turns_->threshold;
    options.pause_s = turns_->silence_s;
    options.pad_s = turns_->prefix_padding_s;
  }
  const auto speech = [this](std::span<const std::int16_t> block) {
    const double probability = speech_(block);
    if (turns_ && item_.empty() && probability >= turns_->threshold) {
      open_item(heard_s() - turns_->prefix_padding_s);
      is_speaking_ = true;
      send_(writer_.speech_started(item_, ms_of(item_begin_s_)));
    }
    return probability;
  };
  const auto recognise = [this](const app::HeardAudio& heard) {
    if (turns_ && heard.is_last_try && !item_.empty()) commit_item();
    return recognise_(heard);
  };
  transcript_.emplace(options, speech, recognise,
                      [this](const app::StreamEvent& event) { show(event); });
}

double RealtimeItems::heard_s() const { return before_s_ + transcript_->heard_s(); }

double RealtimeItems::unsettled_s() const {
  return heard_s() - static_cast<double>(n_new_) / kRate;
}

void RealtimeItems::push(std::span<const std::int16_t> samples, bool more_are_waiting) {
  n_new_ += samples.size();
  transcript_->push(samples, more_are_waiting);
}

void RealtimeItems::stall() {
  if (transcript_) transcript_->stall();
}

void RealtimeItems::commit() {
  if (n_new_ < kFewestSamples) {
    const double found_s = static_cast<double>(n_new_) / kRate;
    throw ApiError(400,
                   "input_audio_buffer: expected 100 ms of audio or more behind the last item, "
                   "found " +
                       std::to_string(ms_of(found_s)) + " ms",
                   "", "input_audio_buffer_commit_empty");
  }
  if (item_.empty()) open_item(unsettled_s());
  commit_item();
  transcript_->finish();
  if (!item_.empty()) complete_item();
}

void RealtimeItems::clear() {
  if (transcript_) {
    before_s_ = heard_s();
    restart();
  }
  item_.clear();
  is_speaking_ = false;
  n_new_ = 0;
  send_(writer_.cleared());
}

void RealtimeItems::fail(const ApiError& error) {
  send_(item_.empty() ? writer_.error(error) : writer_.failed(item_, error));
  item_.clear();
  is_speaking_ = false;
}

void RealtimeItems::open_item(double begin_s) {
  item_ = "item_" + std::to_string(++n_items_);
  item_begin_s_ = std::max(begin_s, 0.0);
  is_committed_ = false;
  text_.clear();
}

void RealtimeItems::commit_item() {
  if (is_committed_) return;
  is_committed_ = true;
  if (std::exchange(is_speaking_, false)) send_(writer_.speech_stopped(item_, ms_of(heard_s())));
  send_(writer_.committed(item_, previous_));
  previous_ = item_;
}

void RealtimeItems::complete_item() {
  commit_item();
  send_(writer_.completed(item_, text_, std::max(heard_s() - item_begin_s_, 0.0)));
  item_.clear();
  n_new_ = 0;
}

void RealtimeItems::show(const app::StreamEvent& event) {
  if (event.type != app::StreamEvent::Type::final) return;
  std::string text = event.text();
  if (item_.empty() && !text.empty()) open_item(unsettled_s());
  if (text_.empty()) text.erase(0, std::min(text.find_first_not_of(' '), text.size()));
  if (!text.empty()) {
    text_ += text;
    send_(writer_.delta(item_, text));
  }
  if (turns_ && event.ends_line && !item_.empty()) complete_item();
}

}  // namespace wnpu::serve
