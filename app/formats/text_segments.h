// A text as segments, whose times are to be found.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace wnpu::app {

// Lines of valid UTF-8, without those that are empty; one longer than 200 characters is cut behind
// its sentences.
std::vector<std::string> segments_of_text(std::string_view text);

}  // namespace wnpu::app
