// Protocol of a service manager, as systemd has it: the socket that it passes, and what it is told.
#pragma once

#include <optional>
#include <string_view>

namespace wnpu::serve {

// Descriptor of the socket that listens already; none: nobody passed one. Throws UsageError for
// several, and for another kind of socket.
std::optional<int> passed_socket();

// "READY=1"; nobody is told where nobody asked.
void tell_manager(std::string_view state);

}  // namespace wnpu::serve
