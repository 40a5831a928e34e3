// Items of a live session: stretches of speech between silences, or audio between two commits. What
// is said in them is told word by word, and whole at their end.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "app/serve/realtime/events.h"
#include "app/stream/live_transcript.h"

namespace wnpu::serve {

class RealtimeItems {
 public:
  using SendFn = std::function<void(std::string event)>;

  RealtimeItems(RealtimeWriter& writer, SendFn send) : writer_(writer), send_(std::move(send)) {}

  // From now on audio is heard so; an item that is open ends before.
  void listen(const std::optional<RealtimeTurns>& turns, app::LiveTranscript::SpeechFn speech,
              app::LiveTranscript::RecogniseFn recognise);
  bool is_listening() const { return transcript_.has_value(); }
  // Ends an item that is open, and listens no more.
  void stop();

  void push(std::span<const std::int16_t> samples, bool more_are_waiting);
  // No samples come for now.
  void stall();
  // Ends an item, with whatever is said in it. Throws ApiError where there is next to no audio.
  void commit();
  // Forgets the audio since the last item.
  void clear();
  // The item that is open has failed, or what the client wants.
  void fail(const ApiError& error);

 private:
  void restart();
  void open_item(double begin_s);
  void commit_item();
  void complete_item();
  void show(const app::StreamEvent& event);
  double heard_s() const;
  double unsettled_s() const;  // where the audio behind the last item begins

  RealtimeWriter& writer_;
  SendFn send_;
  std::optional<RealtimeTurns> turns_;
  app::LiveTranscript::SpeechFn speech_;
  app::LiveTranscript::RecogniseFn recognise_;
  std::optional<app::LiveTranscript> transcript_;
  double before_s_ = 0;      // of the session, before the transcript
  std::uint64_t n_new_ = 0;  // samples since the last item's end

  std::uint64_t n_items_ = 0;
  std::string item_;  // that is open; empty: none
  double item_begin_s_ = 0;
  bool is_speaking_ = false;   // the client was told that speech has started
  bool is_committed_ = false;  // and that the item is
  std::string text_;           // of the item
  std::string previous_;
};

}  // namespace wnpu::serve
