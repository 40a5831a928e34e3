// The supervisor: reads rows, has them worked on by a process that may die, and hands on results.
#pragma once

#include <functional>
#include <string>

#include "app/jobs/rows/row_process.h"
#include "app/jobs/rows/row_queue.h"
#include "app/system/progress.h"

namespace wnpu::app {

struct RowSupervisor {
  RowLimits limits;
  bool is_isolated = true;
  int input = 0;           // descriptor of the rows
  std::string input_name;  // for messages
  int output = 1;          // descriptor whose reader, if it goes away, ends the run
  RowReader& reader;
  // Whether a row is to be worked on; of the others nothing comes.
  std::function<bool(const Row&)> is_wanted = [](const Row&) { return true; };
  // Engine and model. It sends kReady when it takes rows; where it ends without being killed it
  // sends kEnd, and has said why on stderr.
  ServeRows serve;
  // Once, with what kReady says, before the first row is read.
  std::function<void(const std::string& model_sha256)> on_ready;
  // Each result, in its order. May throw.
  std::function<void(const RowResult&)> take;
  // Number of the signal that asked to stop; 0: none did.
  std::function<int()> stop_signal;
  Messages& messages;
};

inline constexpr const char* kReady = "ready";  // the model's SHA-256
inline constexpr const char* kEnd = "end";      // an exit code

// 0: each row that was read has its result. Else as the process' exit code; rows that were done
// have theirs. Throws what the functions of `run` throw.
int run_rows(const RowSupervisor& run);

}  // namespace wnpu::app
