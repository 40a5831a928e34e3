// Rows through the engine: what `worker` and `transcribe --manifest` have in common.
#pragma once

#include <functional>
#include <string>

#include "app/jobs/rows/row.h"
#include "app/jobs/rows/row_queue.h"
#include "app/jobs/run.h"
#include "app/options/options.h"

namespace wnpu::app {

// Origin of a result: checksums of the model and options that it was made with.
struct RowOrigin {
  std::string model_sha256;
  std::string options_sha256;
};

struct RowJob {
  int input = 0;           // descriptor of the rows
  std::string input_name;  // for messages
  int output = 1;          // descriptor of the results
  RowReader& reader;
  std::function<bool(const Row&)> is_wanted = [](const Row&) { return true; };
  // Before the first row is read.
  std::function<void(const RowOrigin&)> on_ready = [](const RowOrigin&) {};
  // A result, and the line that it is.
  std::function<void(const RowResult&, const std::string& line)> take;
};

// As run_rows().
int do_rows(const Options& options, const Environment& environment, const RowJob& job);

}  // namespace wnpu::app
