// Rows of a manifest through the engine, in as many processes at once as a machine is to have.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "app/commands/plan/row_cost.h"
#include "app/jobs/run.h"
#include "app/options/options.h"

namespace wnpu::app {

struct MeasureRequest {
  std::filesystem::path folder;     // of the manifest
  std::vector<std::string> lines;   // rows,
  std::vector<double> durations_s;  // and how long they are
  std::size_t processes = 1;
};

struct Measurement {
  int code = 0;       // not 0: a process has said on stderr what is wrong, and ended so
  double load_s = 0;  // of the model: the slowest process
  std::uint64_t process_bytes = 0;  // memory: the largest process
  std::vector<MeasuredRow> rows;    // that could be transcribed; the mean of all processes
  std::size_t n_failed = 0;         // the others
  std::string first_failure;        // of these
};

// Each process does all rows, as `transcribe --manifest` does, after some that warm up; they
// begin with different ones. To be called before there are threads. Throws Error where no row can
// be transcribed.
Measurement measure_rows(Options options, const Environment& environment,
                         const MeasureRequest& order);

// Seconds since the kernel started this process.
double process_age_s();

}  // namespace wnpu::app
