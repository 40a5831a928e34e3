// Numbers in messages.
#pragma once

#include <string>

namespace wnpu::audio {

// To three places behind the point, without zeros at the end: "76.6", "11", "nan".
std::string number_text(double value);

}  // namespace wnpu::audio
