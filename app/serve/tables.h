// Files that the program has in it.
#pragma once

#include <string_view>

namespace wnpu::serve {

extern const std::string_view kPage;     // page.html
extern const std::string_view kOpenApi;  // openapi.json

}  // namespace wnpu::serve
