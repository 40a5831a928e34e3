// SIGBUS in a mapped model: a file that was cut short while it is in use.
#pragma once

namespace wnpu::app {

// From now on a page of a mapped file that can no longer be read ends the process with a message
// that names the file, and the exit code of a model that is not what it claims; an unfinished
// output file is removed. Any other SIGBUS is what it was.
void install_mapped_file_handler();

}  // namespace wnpu::app
