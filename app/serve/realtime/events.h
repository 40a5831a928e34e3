// Events of OpenAI's realtime transcription as JSON: what a client may send, what it is told.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/serve/http/api_error.h"
#include "audio/read/input.h"

namespace wnpu::serve {

// Voice activity by the server: an item ends in a silence.
struct RealtimeTurns {
  double threshold = 0.5;
  double prefix_padding_s = 0.3;
  double silence_s = 0.5;

  bool operator==(const RealtimeTurns&) const = default;
};

struct RealtimeSettings {
  audio::RawFormat format = {audio::SampleFormat::s16le, 24000, 1};
  std::string model;
  std::string language;  // code; empty: detected
  std::string prompt;
  std::optional<RealtimeTurns> turns = RealtimeTurns{};  // none: an item ends with a commit
  // Shape of the session in JSON: that of transcription_session.update, or of session.update.
  bool is_flat = false;

  bool operator==(const RealtimeSettings&) const = default;
};

struct ClientEvent {
  enum class Type { update, append, commit, clear, model };

  Type type = Type::commit;
  std::string event_id;            // the client's; empty: none
  std::vector<std::byte> audio;    // of append
  RealtimeSettings settings = {};  // of update: those of before with what it says
  // The one that hears what follows; the server's own event, since it may have to be loaded.
  std::shared_ptr<const Model> model = {};
};

// Error of an event, which may have an id.
struct EventError : ApiError {
  EventError(ApiError error, std::string of_event)
      : ApiError(std::move(error)), event_id(std::move(of_event)) {}

  std::string event_id;
};

// Reads a client's event. Throws EventError.
ClientEvent parse_client_event(std::string_view text, const RealtimeSettings& now);

// Writes a session's events, which are numbered. For any number of threads.
class RealtimeWriter {
 public:
  explicit RealtimeWriter(std::string session_id) : session_id_(std::move(session_id)) {}

  std::string session(const RealtimeSettings& settings, bool is_new);
  std::string error(const ApiError& error, const std::string& event_id = {});
  std::string speech_started(const std::string& item, std::uint64_t at_ms);
  std::string speech_stopped(const std::string& item, std::uint64_t at_ms);
  std::string committed(const std::string& item, const std::string& previous);
  std::string cleared();
  std::string delta(const std::string& item, const std::string& text);
  std::string completed(const std::string& item, const std::string& text, double seconds);
  std::string failed(const std::string& item, const ApiError& error);

 private:
  std::string next_id();

  std::string session_id_;
  std::atomic<std::uint64_t> n_events_ = 0;
};

}  // namespace wnpu::serve
