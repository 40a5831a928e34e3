#include "app/jobs/isolated_batch.h"

#include <cerrno>
#include <csignal>
#include <ostream>
#include <string>
#include <sys/mman.h>
#include <sys/wait.h>
#include <system_error>

#include "app/jobs/notes.h"
#include "app/jobs/process.h"
#include "app/options/exit_code.h"
#include "app/system/output_file.h"
#include "app/system/progress.h"
#include "app/system/signals.h"

namespace wnpu::app {
namespace {

// Record that the worker leaves to its supervisor, however it ends.
struct Record {
  BatchProgress progress;
  bool is_finished = false;  // the worker's exit code is the batch's
};

// A Record in memory that both processes see.
class SharedRecord {
 public:
  SharedRecord() {
    void* const memory =
        ::mmap(nullptr, sizeof(Record), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) throw std::system_error(errno, std::generic_category(), "mmap");
    record_ = new (memory) Record;
  }
  ~SharedRecord() { ::munmap(record_, sizeof(Record)); }
  SharedRecord(const SharedRecord&) = delete;
  SharedRecord& operator=(const SharedRecord&) = delete;

  Record& operator*() const { return *record_; }

 private:
  Record* record_;
};

bool is_in_file(const BatchProgress& progress) { return progress.n_ended < progress.n_begun; }

// Waits for the worker's end; what waitpid says of it.
int wait_for(pid_t worker) {
  siginfo_t info;
  while (::waitid(P_PID, static_cast<id_t>(worker), &info, WEXITED | WNOWAIT) != 0) {
    if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "waitid");
  }
  pass_signals_to(0);  // while its number is still its own
  int status = 0;
  ::waitpid(worker, &status, 0);
  return status;
}

class Supervisor {
 public:
  Supervisor(const Options& options, const std::vector<PlannedInput>& plan, const BatchFn& batch,
             const Environment& environment)
      : options_(options),
        plan_(plan),
        batch_(batch),
        environment_(environment),
        messages_(*environment.err, options.verbosity, environment.shows_progress) {}

  int run() {
    std::signal(SIGCHLD, SIG_DFL);  // whoever ignores it is told of no child's end
    BatchProgress& progress = record_.progress;
    while (environment_.stop_signal() == 0) {
      const std::size_t n_begun_before = progress.n_begun;
      const int status = wait_for(start_worker());
      const bool was_stopped = environment_.stop_signal() != 0;
      if (WIFEXITED(status) && (record_.is_finished || was_stopped)) return WEXITSTATUS(status);
      remove_stale_files(results_of(plan_));
      if (was_stopped) break;  // killed by the second signal
      if (is_in_file(progress)) {
        const std::string& input = plan_[progress.n_ended].input;
        say(input + ": its process " + cause_of_death(status), input);
        progress.n_ended = progress.n_begun;
        ++progress.n_failed;
        if (plan_.size() == 1) return static_cast<int>(ExitCode::internal);
      } else if (progress.n_begun == n_begun_before) {
        say("the worker process " + cause_of_death(status) + " before it came to a file");
        return static_cast<int>(ExitCode::internal);
      }
      if (progress.n_ended == plan_.size()) break;
    }
    return conclude(options_, plan_, progress, {environment_.stop_signal(), *environment_.err});
  }

 private:
  pid_t start_worker() {
    const auto work = [this] {
      const int code = batch_(record_.progress);
      record_.is_finished = true;
      return code;
    };
    return fork_worker(work, pass_signals_to);
  }

  void say(const std::string& error, const std::string& file = "") {
    messages_.clear_line();  // where the worker may have drawn a bar
    messages_.error(error, file);
  }

  const Options& options_;
  const std::vector<PlannedInput>& plan_;
  const BatchFn& batch_;
  const Environment& environment_;
  Messages messages_;
  SharedRecord shared_;
  Record& record_ = *shared_;
};

}  // namespace

bool is_isolated(const Options& options) {
  if (options.isolation == Isolation::automatic) return options.inputs.size() > 1;
  return options.isolation == Isolation::on;
}

int run_isolated(const Options& options, const std::vector<PlannedInput>& plan,
                 const BatchFn& batch, const Environment& environment) {
  return Supervisor(options, plan, batch, environment).run();
}

}  // namespace wnpu::app
