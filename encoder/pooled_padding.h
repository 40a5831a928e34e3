// Fewer rows for the padding of a window that its audio does not fill.
#pragma once

#include <cstddef>

#include "models/base/stages.h"

namespace wnpu::encoder {

// Pools the states, as they go into the first layer, of a window whose padding begins at mel frame
// `from`: [n_audio_ctx, n_audio_state], in place. From 0.5 s behind it on, rounded up to a multiple
// of 60 positions, each six positions become one row, their mean; states.pooled says which. Where
// that is too near to the window's end, the states stay as they are.
void pool_padding(std::size_t from, models::EncoderStates& states);

}  // namespace wnpu::encoder
