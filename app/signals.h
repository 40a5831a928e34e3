// SIGINT, SIGTERM and SIGHUP: the first asks the program to stop, the second stops it.
#pragma once

namespace wnpu::app {

// The first signal is only noted. The second removes an unfinished output file and ends the process
// with 128 + its number. SIGPIPE is ignored: a write then fails, which is handled where it happens.
// A signal that the parent has set to be ignored (nohup) stays ignored.
void install_signal_handlers();

// Number of the first signal that came; 0: none.
int received_signal();

}  // namespace wnpu::app
