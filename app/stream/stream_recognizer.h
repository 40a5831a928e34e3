// Recogniser of live speech: a session that hears the audio since the last cut.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "app/engine/whisper_npu.hpp"
#include "app/stream/live_transcript.h"

namespace wnpu::app {

class StreamRecognizer {
 public:
  // `options` as of a file; the session must outlive this. `should_hurry`: hypotheses are not
  // wanted any more, and one that is being made is given up.
  StreamRecognizer(Session& session, const TranscribeOptions& options,
                   std::function<bool()> should_hurry);

  // As LiveTranscript::RecogniseFn. Throws Error.
  std::optional<Hypothesis> hear(const HeardAudio& heard);

  // Wall clock of the last call, and of those before it that heard as much of the stream: after a
  // second look at its end a listener has waited for both.
  double work_s() const { return work_s_; }

 private:
  std::optional<Hypothesis> hear_in(const std::string& language, const HeardAudio& heard);
  TranscribeOptions options_of(const HeardAudio& heard, const std::string& language) const;
  bool is_doubtful(const Transcript& transcript) const;

  Session& session_;
  TranscribeOptions options_;
  std::function<bool()> should_hurry_;
  double work_s_ = 0;
  double heard_s_ = 0;  // of the stream, at the last call
};

}  // namespace wnpu::app
