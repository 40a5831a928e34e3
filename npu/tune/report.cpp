#include "npu/tune/report.h"

#include <array>
#include <cstdio>
#include <stdexcept>

#include "npu/plans/tuning_fields.h"
#include "npu/predict/published.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

std::string fixed(double value, int digits) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.*f", digits, value);
  return text.data();
}

std::string cell(const std::string& text, std::size_t width) {
  return std::string(width > text.size() ? width - text.size() : 1, ' ') + text;
}

std::string calls_text(const std::vector<LayerCall>& calls) {
  std::string text;
  for (const LayerCall& call : calls) {
    text += (text.empty() ? "" : " | ") + std::string(layer_op_name(call.first));
    if (call.last != call.first) text += ".." + std::string(layer_op_name(call.last));
  }
  return text;
}

std::string size_text(std::size_t value) { return value == 0 ? "by rule" : std::to_string(value); }
std::string flag_text(bool value) { return value ? "yes" : "no"; }

// Time of a plan that differs from the best in the choice taken back; 0 if it cannot run.
double milliseconds_of(const TuneOptions& options, const LayerPlan& plan) {
  double ms = 0;
  try {
    const TunedLayer layer =
        tuned_layer(*options.target, options.shape, options.precision, plan.tuning);
    for (const Design& design : designs_of(layer, plan.calls)) {
      if (!check(design).empty()) return 0;
      ms += time_call(design, options.preset).report.ms + options.preset.list_launch_us * 1e-3;
    }
  } catch (const std::invalid_argument&) {
    return 0;
  }
  return ms;
}

std::vector<ChangedChoice> changes_of(const TuneOptions& options, const LayerPlan& found) {
  const LayerPlan by_hand;
  std::vector<ChangedChoice> changes;
  for (const TuningSize& f : kTuningSizes) {
    if (found.tuning.*f.field == by_hand.tuning.*f.field) continue;
    LayerPlan without = found;
    without.tuning.*f.field = by_hand.tuning.*f.field;
    changes.push_back({f.name, size_text(by_hand.tuning.*f.field), size_text(found.tuning.*f.field),
                       milliseconds_of(options, without)});
  }
  for (const TuningFlag& f : kTuningFlags) {
    if (found.tuning.*f.field == by_hand.tuning.*f.field) continue;
    LayerPlan without = found;
    without.tuning.*f.field = by_hand.tuning.*f.field;
    changes.push_back({f.name, flag_text(by_hand.tuning.*f.field), flag_text(found.tuning.*f.field),
                       milliseconds_of(options, without)});
  }
  if (found.calls != by_hand.calls) {
    LayerPlan without = found;
    without.calls = by_hand.calls;
    changes.push_back({"calls", calls_text(by_hand.calls), calls_text(found.calls),
                       milliseconds_of(options, without)});
  }
  return changes;
}

std::string changes_text(const TuneReport& report) {
  if (report.changes.empty()) return "the plan by hand is kept\n";
  std::string text = "choice" + cell("by hand", 20) + cell("found", 26) + "   layer without it\n";
  for (const ChangedChoice& c : report.changes) {
    const std::string name = c.name + cell(c.by_hand, 26 - c.name.size());
    text += name + cell(c.found, 26) +
            cell(c.without_ms > 0 ? fixed(c.without_ms, 3) + " ms" : "cannot run", 19) + "\n";
  }
  return text;
}

// Milliseconds of an average core in each operation.
std::string profile_text(const PlanProfile& profile, double clock_ghz) {
  const auto ms = [clock_ghz](double cycles) {
    return cell(fixed(cycles / (clock_ghz * 1e6), 3), 11);
  };
  std::string text = "  operation  phases       busy   waits: A          B          C\n";
  const auto row = [&](const std::string& name, const std::string& n, const CoreCycles& c) {
    text += "  " + name + cell(n, 18 - name.size()) + ms(c.busy) + ms(c.waiting_a) +
            ms(c.waiting_b) + ms(c.waiting_c) + "\n";
  };
  for (const OperationProfile& o : profile.operations) {
    row(o.name, std::to_string(o.n_phases), o.cycles);
  }
  row("all", "", profile.cores);
  text += "  before the first phase" + ms(profile.cores.waiting_header) + ", after the last" +
          ms(profile.cores.finished) + ", launches" + cell(fixed(profile.launch_ms, 3), 11) + "\n";
  text += "  controller: busy" + ms(profile.controller.busy) + ", waits for tasks" +
          ms(profile.controller.waiting) + ", " + std::to_string(profile.controller.operations) +
          " operations\n";
  const auto part = [&](const char* name, double cycles) {
    return std::string(name) + ms(cycles) + " (" + fixed(100 * cycles / profile.cycles, 0) + " %)";
  };
  text += "  roofline, each alone: " + part("cores", profile.cores.busy) +
          part(", busiest stream", profile.stream) + "\n    " + part("DDR read", profile.ddr_read) +
          part(", write", profile.ddr_write) + part(", controller", profile.controller.busy) +
          part("; bound", profile.bound) + "\n";
  return text;
}

// Errors are of the simulator's time; of the published one where there is one.
std::string predictions_text(const std::vector<Predicted>& predictions) {
  if (predictions.empty()) return "";
  std::string text = "predictors, ms and error                simulator";
  for (const Predictor& predictor : predictors()) text += cell(std::string(predictor.name), 19);
  text += "\n";
  for (const Predicted& p : predictions) {
    const double right = p.published_ms > 0 ? p.published_ms : p.simulated_ms;
    const auto error = [&](double ms) {
      const double percent = 100 * (ms / right - 1);
      return fixed(ms, 2) + " (" + (percent < 0 ? "" : "+") + fixed(percent, 1) + " %)";
    };
    text += p.name + cell(p.published_ms > 0 ? error(p.simulated_ms) : fixed(p.simulated_ms, 2),
                          49 - p.name.size());
    for (const double ms : p.predicted_ms) text += cell(error(ms), 19);
    text += p.published_ms > 0 ? "   published " + fixed(p.published_ms, 1) + "\n" : "\n";
  }
  for (const Predictor& predictor : predictors()) {
    text += "  " + std::string(predictor.name) + ": " + std::string(predictor.rests_on) + "\n";
  }
  return text;
}

std::string call_counts(const TuneReport& report) {
  const TuneResult& r = report.result;
  const std::size_t left = r.n_plans - r.n_simulated - r.n_proven - r.n_refused;
  return std::to_string(r.n_plans) + " plans: " + std::to_string(r.n_simulated) + " simulated, " +
         std::to_string(r.n_proven) + " no better by the bound, " + std::to_string(r.n_refused) +
         " that the array cannot run, " + std::to_string(left) + " not looked at; " +
         std::to_string(r.n_calls) + " calls simulated now, in " + fixed(r.seconds, 1) + " s\n" +
         (r.is_whole() ? "no plan of the space is better\n"
                       : "time was up: a better plan may be among those not looked at\n");
}

}  // namespace

TuneReport explain(std::string layer, const TuneOptions& options, const TuneResult& result) {
  TuneReport report{std::move(layer), options, result, {}, {}, {}, {}, 0, {}};
  const auto profile = [&](const LayerPlan& plan) {
    const std::vector<Design> designs = designs_of(
        tuned_layer(*options.target, options.shape, options.precision, plan.tuning), plan.calls);
    return profile_plan(designs, options.preset);
  };
  report.by_hand = profile(result.by_hand.plan);
  report.best = profile(result.best.plan);
  report.changes = changes_of(options, result.best.plan);
  return report;
}

void add_predictions(TuneReport& report) {
  const TuneOptions& options = report.options;
  const auto add = [&](const char* name, const PlanResult& result) {
    const std::vector<Design> designs = designs_of(
        tuned_layer(*options.target, options.shape, options.precision, result.plan.tuning),
        result.plan.calls);
    Predicted predicted{name, result.ms, 0, {}};
    for (const Predictor& predictor : predictors()) {
      predicted.predicted_ms.push_back(predicted_ms(predictor, designs, options.preset));
    }
    report.predictions.push_back(std::move(predicted));
  };
  add("by hand", report.result.by_hand);
  add("found", report.result.best);
  for (PublishedFigure& figure : published_figures()) {
    report.predictions.push_back({std::string(figure.name), figure.simulated_ms,
                                  figure.published_ms, std::move(figure.predicted_ms)});
  }
}

std::string report_text(const TuneReport& report) {
  const TuneResult& r = report.result;
  const double clock = report.options.preset.clock_ghz;
  const auto plan = [](const char* name, const PlanResult& p) {
    return std::string(name) + fixed(p.ms, 3) + " ms a layer, " +
           fixed(static_cast<double>(p.ddr_bytes) * 1e-6, 1) + " MB of DDR, bound " +
           fixed(p.bound_ms, 3) + " ms\n";
  };
  return report.layer + " on " + std::string(report.options.target->name) + ", " +
         report.options.preset.name + ", objective " +
         std::string(kObjectiveNames[static_cast<std::size_t>(report.options.objective)]) +
         "; all modelled, nothing was run on an NPU\n" + plan("by hand: ", r.by_hand) +
         plan("found:   ", r.best) + changes_text(report) + call_counts(report) +
         (report.n_damaged > 0
              ? "cache: " + std::to_string(report.n_damaged) + " damaged lines left out\n"
              : "") +
         (report.cache.empty() ? "" : "cache: " + report.cache + "\n") +
         "milliseconds of an average core, by hand:\n" + profile_text(report.by_hand, clock) +
         "found:\n" + profile_text(report.best, clock) + predictions_text(report.predictions);
}

}  // namespace wnpu::npu
