#include "app/signals.h"

#include <atomic>
#include <csignal>
#include <unistd.h>

#include "app/exit_code.h"
#include "app/output_file.h"

namespace wnpu::app {
namespace {

std::atomic<int> first_signal{0};
static_assert(std::atomic<int>::is_always_lock_free,
              "a signal handler may only touch such atomics");

extern "C" void on_signal(int number) {
  int none = 0;
  if (first_signal.compare_exchange_strong(none, number)) return;
  remove_unfinished_file();
  ::_exit(static_cast<int>(ExitCode::signal) + number);
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int number : {SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    struct sigaction wanted {};
    wanted.sa_handler = on_signal;
    wanted.sa_flags = SA_RESTART;
    ::sigaction(number, &wanted, nullptr);
  }
}

int received_signal() { return first_signal; }

}  // namespace wnpu::app
