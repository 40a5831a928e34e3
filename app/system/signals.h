// SIGINT, SIGTERM and SIGHUP end the program; while there are results to keep, the first asks it
// to.
#pragma once

#include <csignal>
#include <sys/types.h>

namespace wnpu::app {

// A signal removes an unfinished output file and ends the process
// with 128 + its number. SIGPIPE is ignored: a write then fails, which is handled where it happens.
// A signal that the parent has set to be ignored (nohup) stays ignored.
void install_signal_handlers();

// From here on the first signal is only noted, for what is finished to be kept, and the second ends
// the process. All that takes longer than a blink asks received_signal() meanwhile.
void keep_results_when_stopped();

// Number of the first signal that came; 0: none.
int received_signal();

// For a process whose work is done by another, the worker, and which waits for its end: the first
// signal is passed on to it, the second kills it, the third ends this process. 0: there is no
// worker.
void pass_signals_to(pid_t worker);

// For the worker: from now on only what its supervisor passes on counts. A terminal sends its
// signals to both.
void take_signals_from_supervisor();

// Holds these signals back as long as it lives.
class HeldSignals {
 public:
  HeldSignals();
  ~HeldSignals();
  HeldSignals(const HeldSignals&) = delete;
  HeldSignals& operator=(const HeldSignals&) = delete;

 private:
  sigset_t before_;
};

}  // namespace wnpu::app
