// What a transcriber reports while it works on one file: from the thread that called it, but for
// is_cancelled.
#pragma once

#include <functional>

#include "decoder/segment.h"

namespace wnpu::app {

struct Callbacks {
  // Each segment, once, in order, as soon as it is final.
  std::function<void(const decoder::Segment&)> on_segment;
  // Seconds of audio that are done, and how many there are; 0 where that is not known yet.
  std::function<void(double done_s, double total_s)> on_progress;
  // To be asked often (every 100 ms): true means stop, and return what is finished with
  // `truncated` set. The encoder may ask on a thread of its own while the decoder asks too.
  std::function<bool()> is_cancelled;
};

}  // namespace wnpu::app
