// Text in HTML and SVG.
#pragma once

#include <string>
#include <string_view>

namespace wnpu::app {

// With entities for & < > and ", so that it stands as it is in elements and attributes.
std::string escaped_markup(std::string_view text);

}  // namespace wnpu::app
