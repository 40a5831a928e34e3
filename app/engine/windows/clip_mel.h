// The log-mel of a clip's windows, which may overlap.
#pragma once

#include <cstddef>
#include <optional>

#include "audio/mel/mel_source.h"
#include "decoder/text/segments.h"
#include "models/base/stages.h"

namespace wnpu::app {

class ClipMel {
 public:
  // The window's frames, of a clip that ends at clip_end, and 0 behind them, which the encoder may
  // pool where `pools_padding`. Windows come in order.
  // The time it takes, but for the source's own, is added to mel_s. Throws as MelSource::window().
  const models::LogMel& load(audio::MelSource& source, const decoder::Window& window,
                             std::size_t clip_end, bool pools_padding, double& mel_s);

 private:
  models::LogMel mel_;                // the frames from start_ on, 0 beyond the clip
  std::optional<std::size_t> start_;  // none: nothing was loaded
};

}  // namespace wnpu::app
