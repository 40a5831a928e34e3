#include "app/jobs/rows/row_supervisor.h"

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <poll.h>
#include <set>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/jobs/rows/row_server.h"
#include "app/options/exit_code.h"

namespace wnpu::app {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

// From one look at the signals to the next.
constexpr int kRowPatienceMs = 100;
// In a row, before a row is begun.
constexpr std::size_t kMostIdleDeaths = 5;

class RowRunner {
 public:
  explicit RowRunner(const RowSupervisor& run)
      : run_(run), book_(run.limits), lines_(kLongestLine) {}

  int run() {
    std::signal(SIGCHLD, SIG_DFL);  // whoever ignores it is told of no child's end
    start();
    while (!code_) {
      if (const int signal = run_.stop_signal(); signal != 0) return stop(signal);
      send_rows();
      take(book_.take_results());
      if (is_ready_ && is_input_ended_ && book_.is_empty()) return finish();
      wait();
      kill_if_hung();
    }
    take(book_.take_all_results());
    if (!is_lost_) finish();  // it says why on stderr
    return *code_;
  }

 private:
  void start() {
    process_.emplace(run_.serve, run_.is_isolated, std::array{run_.input, run_.output});
    is_lost_ = false;
    is_hung_ = false;
  }

  int finish() {
    process_->channel().end();
    process_->wait();
    return static_cast<int>(ExitCode::ok);
  }

  int stop(int signal) {
    receive();
    take(book_.take_all_results());
    return static_cast<int>(ExitCode::signal) + signal;
  }

  void take(const std::vector<RowResult>& results) {
    for (const RowResult& result : results) run_.take(result);
  }

  void send_rows() {
    while (const auto sent = book_.send_next()) {
      process_->channel().send(row_message(sent->number, sent->row));
    }
  }

  // For news of the worker, rows, or the end of whoever reads the results.
  void wait() {
    Channel& channel = process_->channel();
    const bool has_more = !channel.flush();
    const bool reads = is_ready_ && !is_input_ended_ && book_.takes_more();
    std::array<pollfd, 3> state{
        pollfd{channel.descriptor(), static_cast<short>(POLLIN | (has_more ? POLLOUT : 0)), 0},
        pollfd{run_.output, 0, 0}, pollfd{run_.input, POLLIN, 0}};
    if (::poll(state.data(), reads ? 3 : 2, kRowPatienceMs) <= 0) return;
    if ((state[1].revents & POLLERR) != 0) throw BrokenPipe("stdout: closed");
    if ((state[1].revents & POLLNVAL) != 0) throw OutputError("stdout: expected it to be open");
    if (reads && state[2].revents != 0) read();
    if ((state[0].revents & (POLLIN | POLLHUP | POLLERR)) != 0 && !receive()) lose_process();
  }

  void kill_if_hung() {
    const std::optional<double> patience_s = book_.patience_s();
    const std::chrono::duration<double> passed = Clock::now() - progressed_;
    if (!patience_s || passed.count() < *patience_s || is_hung_) return;
    is_hung_ = true;
    process_->kill();
  }

  void read() {
    std::array<char, 1U << 16U> bytes;  // NOLINT(cppcoreguidelines-pro-type-member-init)
    const ssize_t size = ::read(run_.input, bytes.data(), bytes.size());
    const auto take_line = [this](const Line& line) { add(line); };
    if (size > 0) return lines_.add({bytes.data(), static_cast<std::size_t>(size)}, take_line);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) return;
    if (size < 0) throw UsageError(run_.input_name + ": read: " + std::strerror(errno));
    lines_.end(take_line);
    is_input_ended_ = true;
  }

  void add(const Line& line) {
    auto row = run_.reader.read(line);
    if (!row || !run_.is_wanted(*row)) return;
    if (!row->language_tag.empty() && told_languages_.insert(row->language).second) {
      run_.messages.note("lang " + row->language_tag + " is taken as " + row->language);
    }
    book_.add(std::move(*row));
  }

  // False: the worker has ended.
  bool receive() {
    return process_->channel().receive([this](ordered_json&& message) {
      if (message.contains(kRowBegan)) {
        book_.begin(message[kRowBegan]);
        progressed_ = Clock::now();
        n_idle_deaths_ = 0;
      } else if (message.contains(kRowAnswered)) {
        progressed_ = Clock::now();
        book_.answer(message[kRowAnswered], std::move(message[kFields]));
      } else if (message.contains(kEnd)) {
        code_ = message[kEnd].get<int>();
      } else if (!is_ready_) {
        is_ready_ = true;
        run_.on_ready(message[kReady]);
      }
    });
  }

  void lose_process() {
    std::string cause = process_->wait();
    is_lost_ = true;
    if (code_ || run_.stop_signal() != 0) return;
    if (is_hung_) cause = "gave no answer in the time that --row-timeout leaves it and " + cause;
    const bool had_work = book_.lose_process(cause, is_hung_ ? kTimeoutCode : kCrashedCode);
    if (had_work) {
      run_.messages.note("the worker process " + cause + ": rows it had at work are tried again");
    } else if (++n_idle_deaths_ == kMostIdleDeaths) {
      run_.messages.error("the worker process " + cause + " before it came to a row, " +
                          std::to_string(kMostIdleDeaths) + " times in a row");
      code_ = static_cast<int>(ExitCode::internal);
      return;
    }
    start();
  }

  const RowSupervisor& run_;
  RowQueue book_;
  LineSplitter lines_;
  std::optional<RowProcess> process_;
  bool is_lost_ = false;
  bool is_hung_ = false;                         // and was killed for it
  Clock::time_point progressed_ = Clock::now();  // of a row: it began, or was answered
  bool is_ready_ = false;
  bool is_input_ended_ = false;
  std::size_t n_idle_deaths_ = 0;
  std::set<std::string> told_languages_;  // of those that rows name by other words, a tag each
  std::optional<int> code_;
};

}  // namespace

int run_rows(const RowSupervisor& run) { return RowRunner(run).run(); }

}  // namespace wnpu::app
