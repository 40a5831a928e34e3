// Fewer rows for the padding of a window that its audio does not fill.
#pragma once

#include <cstddef>

#include "models/base/stages.h"

namespace wnpu::encoder {

// Pools the states, as they go into the first layer, of a window whose padding begins at mel frame
// `from`: from half a second behind it on, six positions become their mean. Where that is too near
// to the window's end, they stay as they are.
void pool_padding(std::size_t from, models::EncoderStates& states);

}  // namespace wnpu::encoder
