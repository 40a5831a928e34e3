// The temporary file and folder that are being written now, for the signal handlers that end the
// process.
#pragma once

#include <string>
#include <vector>

namespace wnpu::app {

// There is one at a time. False: the name is too long to be kept where a handler may read it.
bool note_unfinished_file(const std::string& path);
// It has its own name now.
void forget_unfinished_file() noexcept;
// Removes it, if there is one.
void remove_unfinished_file() noexcept;

// A folder, last, behind all that may be in it, in the order in which that can be removed. There is
// one at a time, beside the file.
void note_unfinished_folder(std::vector<std::string> paths);
void forget_unfinished_folder() noexcept;

// Removes both, if there are any. May be called in a signal handler that then ends the process.
void remove_unfinished() noexcept;

}  // namespace wnpu::app
