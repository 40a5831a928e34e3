// Events of live speech: words that are final, and the unstable words behind them. As JSON lines by
// stream.schema.json.
#pragma once

#include <string>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

struct StreamEvent {
  enum class Type {
    partial,  // all words behind the final ones, as heard now; takes the place of the partial
              // before
    final,    // the next words, which stay as they are
    speaker   // words of final events again, of one speaker
  };

  Type type = Type::partial;
  // Seconds from the start of the stream, in order. None: the partial before was taken back, or,
  // of a final that ends a line, no more came of it.
  std::vector<Word> words;
  // Seconds of audio that had been heard when this was decided.
  double heard = 0;
  bool ends_line = false;     // of a final: a pause follows, or the end
  std::string language = {};  // code: that of the words, or of what was heard last
  std::string speaker = {};   // of a speaker event; empty: nobody's

  std::string text() const;
};

// One line. `work` is what the recogniser took for what was heard, in seconds of this machine's
// clock; all else follows from the samples alone.
std::string stream_json(const StreamEvent& event, double work);

}  // namespace wnpu::app
