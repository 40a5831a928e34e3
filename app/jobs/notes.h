// Notes beside the results: about the device, about a file.
#pragma once

#include <functional>
#include <iosfwd>
#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"
#include "app/options/options.h"
#include "app/output/output_plan.h"
#include "app/system/progress.h"

namespace wnpu::app {

// Note of the device and the `threads` in use, if they differ from the options.
void note_device(const DeviceInfo& device, unsigned threads, const Options& options,
                 Messages& messages);

// "talk.wav: 11.00 s of audio (WAV, 16000 Hz, 1 channel): decoded in 0.01 s, mel in 0.02 s"
std::string dry_run_report(const std::string& input, const Transcript& transcript);

// Whether a line with the file's name stands before its text on stdout.
bool wants_headers(const Options& options);

// stdout with such lines, as head(1) has them: "==> talk.wav <==", and an empty line in front where
// others came before.
class HeadedOutput {
 public:
  HeadedOutput(int descriptor, bool is_terminal, bool has_headers)
      : descriptor_(descriptor), is_terminal_(is_terminal), has_headers_(has_headers) {}

  // Input of the text that is put from now on; "": it needs no header.
  void begin(const std::string& input) { input_ = has_headers_ ? input : ""; }
  // `n_headers` that are there become one more with the input's first text, which may be empty.
  // A terminal gets no control bytes but those of colours, whose text has no others.
  void put(const std::string& text, bool has_colors, std::size_t& n_headers);

 private:
  int descriptor_;
  bool is_terminal_;
  bool has_headers_;
  std::string input_;  // whose header is still to come; empty: none's
};

// Tells the language that was detected of the file whose progress is shown, as soon as it is known;
// nothing of one that was given.
std::function<void(const Beginning&)> language_note(Messages& messages);
// The transcript's warnings.
void note_warnings(const Transcript& transcript, Messages& messages);
// How the file went.
void note_end(const Transcript& transcript, Messages& messages);
// Likewise of a file with results: of subtitles, which rules yielded.
void note_end(const Transcript& transcript, const std::vector<Target>& targets,
              const SubtitleLayout& layout, Messages& messages);
// Explains the colours of text, once a batch, unless somebody has asked for colours.
void explain_colors(Color asked, BatchProgress& progress, Messages& messages);
// End of a batch: the signal that stopped it, and the stream for its last line.
struct BatchEnd {
  int signal;  // 0: it came to its end
  std::ostream& err;
};
// The exit code of a batch. At its end says of several files how many were skipped and failed, how
// much audio was heard, and how fast.
int conclude(const Options& options, const std::vector<PlannedInput>& plan,
             const BatchProgress& progress, const BatchEnd& end);

}  // namespace wnpu::app
