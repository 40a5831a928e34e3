#include "app/commands/plan/measure.h"

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <ctime>
#include <fstream>
#include <memory>
#include <sstream>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <system_error>
#include <unistd.h>

#include <nlohmann/json.hpp>

#include "app/jobs/process.h"
#include "app/jobs/rows/row_job.h"
#include "app/options/exit_code.h"
#include "app/system/write_all.h"
#include "models/base/stage_timer.h"

namespace wnpu::app {
namespace {

using nlohmann::json;

// A file without a name, for what one process writes and another reads.
class MemoryFile {
 public:
  explicit MemoryFile(std::string_view contents = "") : descriptor_(::memfd_create("plan", 0)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    write_all(descriptor_, contents, "memory");
    ::lseek(descriptor_, 0, SEEK_SET);
  }
  ~MemoryFile() { ::close(descriptor_); }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;

  int descriptor() const { return descriptor_; }
  std::string contents() const {
    std::ifstream file("/proc/self/fd/" + std::to_string(descriptor_));
    return (std::ostringstream() << file.rdbuf()).str();
  }

 private:
  int descriptor_;
};

// Times of a row in all processes.
struct RowTimes {
  double sum_s = 0;
  std::size_t n = 0;
  std::string failure;
};

// All rows from `first` on, between some that are not measured: those before warm up, and with
// those behind as many are at work together while the last are measured as in a long run.
std::string rows_around(const std::vector<std::string>& lines, std::size_t first,
                        std::size_t n_around) {
  std::string text;
  for (std::size_t i = 0; i < lines.size() + 2 * n_around; ++i) {
    text += lines[(first + i) % lines.size()] + "\n";
  }
  return text;
}

class MeasuredProcess {
 public:
  MeasuredProcess(const Options& options, const Environment& environment,
                  const MeasureRequest& order, std::size_t first)
      : first_(first),
        n_around_(options.rows.n_together),
        input_(rows_around(order.lines, first, n_around_)) {
    process_ = fork_worker([&] { return work(options, environment, order.folder); }, [](pid_t) {});
  }

  // Messages of the process on stderr.
  std::string messages() const { return messages_.contents(); }
  // Its exit code.
  int wait(Measurement& measurement, std::vector<RowTimes>& times) {
    int status = 0;
    rusage usage{};
    while (::wait4(process_, &status, 0, &usage) < 0) {
      if (errno != EINTR) throw std::system_error(errno, std::generic_category(), "wait4");
    }
    if (!WIFEXITED(status)) {
      throw std::runtime_error("a process that measured rows " + cause_of_death(status));
    }
    const auto bytes = static_cast<std::uint64_t>(usage.ru_maxrss) * 1024;  // kilobytes on Linux
    measurement.process_bytes = std::max(measurement.process_bytes, bytes);
    std::istringstream lines(output_.contents());
    std::string line;
    if (std::getline(lines, line)) {
      measurement.load_s = std::max(measurement.load_s, std::strtod(line.c_str(), nullptr));
    }
    for (std::size_t i = 0; std::getline(lines, line); ++i) {
      if (i < n_around_ || i >= n_around_ + times.size()) continue;
      add(json::parse(line), times[(first_ + i) % times.size()]);
    }
    return WEXITSTATUS(status);
  }

 private:
  // Leaves in `output_` a line with the time of loading, and each row's result.
  int work(const Options& options, const Environment& environment,
           const std::filesystem::path& folder) const {
    ::dup2(messages_.descriptor(), STDERR_FILENO);  // not all at once
    return exit_code_after([&] {
      const auto start = models::Clock::now();
      RowReader reader(folder);
      const auto write = [&](const std::string& line) {
        write_all(output_.descriptor(), line, "memory");
      };
      return do_rows(options, environment,
                     {.input = input_.descriptor(),
                      .input_name = "the sample",
                      .output = output_.descriptor(),
                      .reader = reader,
                      .on_ready =
                          [&](const RowOrigin&) {
                            write(std::to_string(models::seconds_since(start)) + "\n");
                          },
                      .take = [&](const RowResult&, const std::string& line) { write(line); }});
    });
  }

  static void add(const json& result, RowTimes& times) {
    if (result.at("status") == "ok") {
      times.sum_s += result.at("seconds").get<double>();
      ++times.n;
    } else {
      times.failure = result.at("error").at("message");
    }
  }

  std::size_t first_;
  std::size_t n_around_;
  MemoryFile input_;
  MemoryFile output_;
  MemoryFile messages_;
  pid_t process_ = 0;
};

void add_rows(const MeasureRequest& order, const std::vector<RowTimes>& times,
              Measurement& measurement) {
  for (std::size_t i = 0; i < times.size(); ++i) {
    if (times[i].n > 0) {
      measurement.rows.push_back(
          {order.durations_s[i], times[i].sum_s / static_cast<double>(times[i].n)});
    } else {
      if (measurement.n_failed++ == 0) measurement.first_failure = times[i].failure;
    }
  }
}

}  // namespace

Measurement measure_rows(Options options, const Environment& environment,
                         const MeasureRequest& order) {
  options.rows.order = RowOrder::input;
  std::signal(SIGCHLD, SIG_DFL);  // whoever ignores it is told of no child's end
  std::vector<std::unique_ptr<MeasuredProcess>> processes;
  for (std::size_t i = 0; i < order.processes; ++i) {
    const std::size_t first = i * order.lines.size() / order.processes;
    processes.push_back(std::make_unique<MeasuredProcess>(options, environment, order, first));
  }
  Measurement measured;
  std::vector<RowTimes> times(order.lines.size());
  std::string messages;  // of the first that cannot go on, else of the first
  for (const auto& process : processes) {
    const int code = process->wait(measured, times);
    if (process == processes.front() || (measured.code == 0 && code != 0)) {
      messages = process->messages();
      measured.code = code;
    }
  }
  *environment.err << messages << std::flush;
  add_rows(order, times, measured);
  if (measured.code == 0 && measured.rows.empty()) {
    throw Error(ErrorCode::audio, "none of the rows that were to be measured can be transcribed: " +
                                      measured.first_failure);
  }
  return measured;
}

double process_age_s() {
  // proc(5): starttime is the 22nd field, the 20th behind the name's bracket, in clock ticks since
  // the machine was started.
  std::ifstream file("/proc/self/stat");
  std::string text;
  std::getline(file, text);
  std::istringstream fields(text.substr(std::min(text.size(), text.rfind(')') + 1)));
  std::string field;
  for (int i = 0; i < 20; ++i) fields >> field;
  timespec now{};
  ::clock_gettime(CLOCK_BOOTTIME, &now);
  const double now_s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  const double ticks = std::strtod(field.c_str(), nullptr);
  return std::max(0.0, now_s - ticks / static_cast<double>(::sysconf(_SC_CLK_TCK)));
}

}  // namespace wnpu::app
