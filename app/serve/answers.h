// Answers of a transcription: OpenAI's response formats, and the events of a streamed one.
#pragma once

#include <string>

#include "app/serve/http/exchange.h"
#include "app/serve/order.h"

namespace wnpu::serve {

// Broken UTF-8 in the transcript comes out as U+FFFD.
Answer answer_of(const Transcript& transcript, const Order& order);

// The text of segments as it comes: what it gives, put together, is all() of them.
class TextSoFar {
 public:
  std::string add(const std::string& text);  // without the space that it begins with
  const std::string& all() const { return all_; }

 private:
  std::string all_;
};

Answer event_stream();  // what events follow
// {"type": "transcript.text.delta", "delta": ..., "segment": {...}}, as a server-sent event
std::string delta_event(const std::string& delta, const Segment& segment, bool with_words);
std::string done_event(const std::string& text, const Transcript& transcript);
std::string error_event(const std::string& error_json);

}  // namespace wnpu::serve
