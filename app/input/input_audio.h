// The audio of a batch's inputs. What is at a URL is fetched when its turn comes, and kept until
// the next one's.
#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <string>

#include "app/input/fetched_recording.h"
#include "app/options/options.h"

namespace wnpu::app {

class InputAudio {
 public:
  InputAudio(const Options& options, std::ostream& err) : options_(options), err_(err) {}

  using ShouldStop = std::function<bool()>;
  // So that an input at a URL is there before the model is loaded; does nothing for others. Throws
  // as FetchedRecording.
  void prepare(const std::string& input, const ShouldStop& should_stop);

  // Result of `read` for the input's audio. Throws what `read` and prepare() throw.
  using Read = std::function<Transcript(const Audio&)>;
  Transcript read(const std::string& input, const ShouldStop& should_stop, const Read& read);

 private:
  const Options& options_;
  std::ostream& err_;
  std::string input_;  // that was fetched last
  std::unique_ptr<FetchedRecording> fetched_;
};

}  // namespace wnpu::app
