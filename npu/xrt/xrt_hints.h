// Hints for XRT errors: XRT's messages say which call failed, seldom what to do about it.
#pragma once

#include <string>
#include <string_view>

namespace wnpu::npu {

// The hint for XRT's message `cause`; empty where none is known.
std::string hint_for(std::string_view cause);

// "npu 0000:c4:00.1: create context: <cause> (hint: ...)"
std::string error_text(std::string_view device, std::string_view call, std::string_view cause);

}  // namespace wnpu::npu
