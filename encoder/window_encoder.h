// Interface of every encoder: a log-mel window in, encoder states out. The CPU, an NPU, several
// NPUs that divide a layer, a foreign runtime: each implements it whole.
#pragma once

#include <cstddef>
#include <functional>

#include "models/base/stages.h"

namespace wnpu::encoder {

class WindowEncoder {
 public:
  virtual ~WindowEncoder() = default;

  // Threads that may call encode() at the same time, a window each. More than one pays where
  // windows pass from stage to stage.
  virtual std::size_t n_at_once() const { return 1; }

  // mel [n_mels, 2 n_audio_ctx] -> out [n_audio_ctx, n_audio_state], or fewer rows where the
  // log-mel's padding is pooled; allocated anew where the shape differs. `should_stop`, where
  // given, is asked while it works; true ends the work with models::Stopped. Throws
  // npu::DeviceError where the device failed: the window is then another encoder's.
  virtual void encode(const models::LogMel& mel, models::EncoderStates& out,
                      const std::function<bool()>& should_stop = {}) = 0;
};

}  // namespace wnpu::encoder
