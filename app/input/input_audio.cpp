#include "app/input/input_audio.h"

namespace wnpu::app {
namespace {

// Many a server that has no such recording sends a page in its place.
[[noreturn]] void rethrow_with_type(const Error& error, const std::string& type) {
  const bool is_said = type.empty() || type.starts_with("audio/") || type.starts_with("video/");
  if (error.code() != ErrorCode::audio || is_said) throw error;
  throw Error(ErrorCode::audio, std::string(error.what()) + "; its server calls it " + type);
}

}  // namespace

void InputAudio::prepare(const std::string& input, const ShouldStop& should_stop) {
  const auto url = options_.urls.find(input);
  if (url == options_.urls.end() || (fetched_ && input == input_)) return;
  fetched_.reset();  // two may need more room than there is
  fetched_ = std::make_unique<FetchedRecording>(
      fetch_request(options_, url->second, input, should_stop), err_);
  input_ = input;
}

Transcript InputAudio::read(const std::string& input, const ShouldStop& should_stop,
                            const Read& read) {
  Audio audio = options_.audio(input);
  if (!options_.urls.contains(input)) return read(audio);
  prepare(input, should_stop);
  audio.path = fetched_->path();
  audio.name = input;
  try {
    Transcript transcript = read(audio);
    if (!transcript.truncated) transcript.input.sha256 = fetched_->sha256();
    return transcript;
  } catch (const Error& error) {
    rethrow_with_type(error, fetched_->type());
  }
}

}  // namespace wnpu::app
