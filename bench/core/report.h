// Contents of a page of results: facts and the charts' data.
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "bench/core/figure.h"

namespace wnpu::bench {

// A share of the time from file to text.
struct StageTime {
  std::string name;  // "encoder"
  double seconds = 0;
  Origin origin = Origin::kMeasured;
};

// One way to run the encoder.
struct PlanSpeed {
  std::string name;  // "fused, phoenix-1.0"
  int frames = 1500;
  double speed = 0;  // audio time / processing time, > 0
  Origin origin = Origin::kMeasured;
};

// A kernel under the machine's roof; all values > 0.
struct KernelPoint {
  std::string name;
  double operations_per_byte = 0;
  double gflops = 0;
  Origin origin = Origin::kMeasured;
};

struct Roof {
  double peak_gflops = 0;
  double memory_gb_per_s = 0;
};

// A machine and what ran on it.
struct Roofline {
  std::string machine;  // "this CPU, 2 threads"
  Roof roof;
  std::vector<KernelPoint> kernels;
};

// Activity of a lane ("CPU", "NPU array"), in seconds from the window's start.
struct TimelineSpan {
  std::string lane;
  std::string name;
  double start_s = 0;
  double end_s = 0;
  Origin origin = Origin::kMeasured;
};

struct Timeline {
  std::string title;        // "One window"
  std::string explanation;  // a sentence below it
  std::vector<TimelineSpan> spans;
};

// Something that is better the further left and the lower it is.
struct TradeOffPoint {
  std::string name;  // beside the mark
  std::string text;  // what shows when the mouse rests on it
  double x = 0;
  double y = 0;
  Origin origin = Origin::kModelled;
};

struct TradeOff {
  std::string title;
  std::string explanation;  // a sentence below it
  std::string x_name;       // "ms"
  std::string y_name;
  std::vector<TradeOffPoint> points;  // that nothing beats
  std::vector<std::pair<double, double>> others;
  std::optional<double> most_x;  // a limit; none: no line
};

// A chart whose data are empty is left out.
struct Report {
  std::string title;
  std::vector<std::pair<std::string, std::string>> facts;  // machine, commit, command, noise, ...
  std::vector<std::string> notes;                          // what a reader must know
  std::vector<StageTime> stages;
  std::vector<PlanSpeed> plans;  // those of equal frames one after the other
  double target_speed = 220;     // the line in the plans' chart
  std::vector<Roofline> rooflines;
  std::vector<Timeline> timelines;
  std::vector<TradeOff> trade_offs;
};

}  // namespace wnpu::bench
