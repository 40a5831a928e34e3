#include "app/system/signals.h"

#include <array>
#include <atomic>
#include <cerrno>
#include <csignal>
#include <unistd.h>

#include "app/options/exit_code.h"
#include "app/system/unfinished_file.h"

namespace wnpu::app {
namespace {

constexpr std::array kSignals = {SIGINT, SIGTERM, SIGHUP};

std::atomic<int> first_signal{0};
std::atomic<bool> has_results{false};
std::atomic<int> n_passed_on{0};
std::atomic<pid_t> worker_process{0};
// A signal handler may touch no other atomics.
static_assert(std::atomic<int>::is_always_lock_free && std::atomic<bool>::is_always_lock_free);
static_assert(std::atomic<pid_t>::is_always_lock_free);

// Signal that carries another signal's number to the worker: nobody else sends it, and it does not
// merge with others.
int passed_on_signal() { return SIGRTMIN; }

void pass_on(pid_t worker, int number) {
  const int error = errno;
  sigval value{};
  value.sival_int = number;
  if (++n_passed_on == 1) {
    ::sigqueue(worker, passed_on_signal(), value);
  } else {
    ::kill(worker, SIGKILL);
  }
  errno = error;
}

extern "C" void on_signal(int number) {
  int none = 0;
  const bool is_first = first_signal.compare_exchange_strong(none, number);
  const pid_t worker = worker_process;
  if (worker != 0 && n_passed_on < 2) return pass_on(worker, number);
  if (is_first && has_results) return;
  remove_unfinished();
  ::_exit(static_cast<int>(ExitCode::signal) + number);
}

extern "C" void on_passed_on(int /*number*/, siginfo_t* info, void* /*context*/) {
  if (info->si_code == SI_QUEUE) on_signal(info->si_value.sival_int);
}

}  // namespace

void install_signal_handlers() {
  std::signal(SIGPIPE, SIG_IGN);
  for (const int number : kSignals) {
    struct sigaction now {};
    if (::sigaction(number, nullptr, &now) != 0 || now.sa_handler == SIG_IGN) continue;
    struct sigaction wanted {};
    wanted.sa_handler = on_signal;
    wanted.sa_flags = SA_RESTART;  // what may wait for long polls, and asks in between
    ::sigaction(number, &wanted, nullptr);
  }
}

void keep_results_when_stopped() { has_results = true; }

int received_signal() { return first_signal; }

void pass_signals_to(pid_t worker) { worker_process = worker; }

void take_signals_from_supervisor() {
  worker_process = 0;
  for (const int number : kSignals) std::signal(number, SIG_IGN);
  struct sigaction wanted {};
  wanted.sa_sigaction = on_passed_on;
  wanted.sa_flags = SA_RESTART | SA_SIGINFO;
  ::sigaction(passed_on_signal(), &wanted, nullptr);
}

HeldSignals::HeldSignals() {
  sigset_t signals;
  sigemptyset(&signals);
  for (const int number : kSignals) sigaddset(&signals, number);
  ::sigprocmask(SIG_BLOCK, &signals, &before_);
}

HeldSignals::~HeldSignals() { ::sigprocmask(SIG_SETMASK, &before_, nullptr); }

}  // namespace wnpu::app
