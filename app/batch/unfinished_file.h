// The temporary file that is being written now, for the signal handlers that end the process.
#pragma once

#include <string>

namespace wnpu::app {

// There is one at a time. False: the name is too long to be kept where a handler may read it.
bool note_unfinished_file(const std::string& path);
// It has its own name now.
void forget_unfinished_file() noexcept;
// Removes it, if there is one. May be called in a signal handler that then ends the process.
void remove_unfinished_file() noexcept;

}  // namespace wnpu::app
