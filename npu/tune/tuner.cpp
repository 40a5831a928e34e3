#include "npu/tune/tuner.h"

#include <algorithm>
#include <array>
#include <bit>
#include <optional>
#include <stdexcept>

#include "npu/control/control_program.h"
#include "npu/predict/call_parts.h"
#include "npu/sim/check.h"
#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

using Clock = std::chrono::steady_clock;

// Values to minimise: the objective, then the other one of time and bytes.
using Score = std::pair<double, double>;

// A plan of the space, by where it stands in it.
struct Point {
  std::size_t tuning = 0;
  std::size_t calls = 0;
  std::size_t buffers = 0;
};

// Choices that two tunings do not share; buffers are no part of it.
int differences(const LayerTuning& x, const LayerTuning& y) {
  return int{x.state_tile != y.state_tile} + int{x.qkv_tile != y.qkv_tile} +
         int{x.norm_rows != y.norm_rows} + int{x.qkv_row_blocks != y.qkv_row_blocks} +
         int{x.keeps_hidden != y.keeps_hidden} + int{x.attends_padding != y.attends_padding} +
         int{x.broadcasts_keys != y.broadcasts_keys};
}

// Operations that begin a call, a bit each.
unsigned borders(const std::vector<LayerCall>& calls) {
  unsigned bits = 0;
  for (const LayerCall& call : calls) bits |= 1u << static_cast<unsigned>(call.first);
  return bits;
}

class Tuner {
 public:
  Tuner(const TuneOptions& options, const TuningSpace& space)
      : options_(options),
        space_(space),
        cache_(options.cache != nullptr ? *options.cache : own_cache_),
        start_(Clock::now()),
        looked_at_(space.tunings.size() * space.calls.size() * space.buffers.size()),
        bounds_(space.tunings.size()) {}

  TuneResult run() {
    result_.n_plans = space_.size();
    take_by_hand();
    climb();
    std::vector<Point> points = points_by_bound();
    for (std::size_t b = 0; b < space_.buffers.size(); ++b) {
      for (Point& point : points) {
        point.buffers = b;
        look_at(point);
      }
    }
    result_.seconds = seconds();
    return result_;
  }

 private:
  double seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

  Score score_of(double ms, double bytes) const {
    return options_.objective == Objective::time ? Score{ms, bytes} : Score{bytes, ms};
  }
  Score best() const {
    return score_of(result_.best.ms, static_cast<double>(result_.best.ddr_bytes));
  }
  TunedLayer layer(const LayerTuning& tuning) const {
    return tuned_layer(*options_.target, options_.shape, options_.precision, tuning);
  }
  double ms_of(double cycles, std::size_t n_calls) const {
    return cycles / (options_.preset.clock_ghz * 1e6) +
           static_cast<double>(n_calls) * options_.preset.list_launch_us * 1e-3;
  }

  // The plan by hand is the first that counts, whether the space has it or not.
  void take_by_hand() {
    const std::vector<Design> designs = designs_of(layer({}), LayerPlan{}.calls);
    PlanResult by_hand;
    if (!evaluate(designs, by_hand) || !passes_check(designs)) {
      throw SimulationError(designs.front().name + ": the array cannot run the plan by hand");
    }
    by_hand.bound_ms = bound_ms(designs);
    result_.by_hand = result_.best = by_hand;
  }

  double bound_ms(const std::vector<Design>& designs) const {
    double cycles = 0;
    for (const Design& design : designs) cycles += call_parts(design, options_.preset).bound();
    return ms_of(cycles, designs.size());
  }

  bool has_time() const { return seconds() < options_.budget.count(); }

  // Bounds of a tuning with every cut, for the buffers that leave the most room. A layer in several
  // calls has the same phases, and each call is launched; its bytes are counted call by call.
  std::vector<Score> bounds_with(LayerTuning tuning) {
    tuning.state_panels = 1;
    for (const auto& b : space_.buffers) {
      tuning.a_slots = std::min(tuning.a_slots, b.a_slots);
      tuning.b_slots = std::min(tuning.b_slots, b.b_slots);
    }
    const TunedLayer tuned = layer(tuning);
    const CallParts whole = array_parts(layer_design(tuned), options_.preset);
    std::vector<Score> bounds;
    for (const auto& calls : space_.calls) {
      const double cycles = calls.size() == 1 ? whole.bound() : whole.cores;
      bounds.push_back(score_of(ms_of(cycles, calls.size()), bytes_of(tuned, calls)));
    }
    return bounds;
  }
  const Score& bound_of(const Point& point) {
    std::vector<Score>& bounds = bounds_[point.tuning];
    if (bounds.empty()) bounds = bounds_with(space_.tunings[point.tuning]);
    return bounds[point.calls];
  }

  // Points whose bounds there was time for, best bound first.
  std::vector<Point> points_by_bound() {
    std::vector<Point> points;
    for (std::size_t t = 0; t < space_.tunings.size(); ++t) {
      if (bounds_[t].empty() && !has_time()) continue;
      for (std::size_t c = 0; c < space_.calls.size(); ++c) {
        points.push_back({t, c, 0});
        bound_of(points.back());
      }
    }
    std::ranges::stable_sort(points, {}, [this](const Point& p) { return bound_of(p); });
    return points;
  }

  // From one plan to a better one that differs in one choice.
  void climb() {
    bool is_better = true;
    while (is_better) {
      const Score before = best();
      for (std::size_t t = 0; t < space_.tunings.size(); ++t) {
        if (differences(space_.tunings[t], space_.tunings[top_.tuning]) != 1) continue;
        look_at({t, top_.calls, top_.buffers});
      }
      for (std::size_t b = 0; b < space_.buffers.size(); ++b) {
        look_at({top_.tuning, top_.calls, b});
      }
      for (std::size_t c = 0; c < space_.calls.size(); ++c) {
        const unsigned changed = borders(space_.calls[c]) ^ borders(space_.calls[top_.calls]);
        if (std::has_single_bit(changed)) look_at({top_.tuning, c, top_.buffers});
      }
      is_better = best() < before;
    }
  }

  // Bytes to and from DDR; for the time they are no bound that matters, and are not counted.
  double bytes_of(const TunedLayer& tuned, const std::vector<LayerCall>& calls) {
    if (options_.objective != Objective::ddr) return 0;
    double bytes = 0;
    for (const LayerCall& call : calls) bytes += bytes_of(tuned, call);
    return bytes;
  }
  double bytes_of(const TunedLayer& tuned, const LayerCall& call) {
    LayerTuning key = tuned.tuning;
    key.norm_rows = 0;  // elements are of the rows that there are, whatever they are
    auto known = std::ranges::find(bytes_, key, &KnownBytes::tuning);
    if (known == bytes_.end()) known = bytes_.insert(known, {key, {}});
    double& bytes =
        known->calls[static_cast<std::size_t>(call.first)][static_cast<std::size_t>(call.last)];
    if (bytes == 0) {
      const CallParts parts = array_parts(layer_design(tuned, call), options_.preset);
      bytes = static_cast<double>(parts.ddr_bytes);
    }
    return bytes;
  }

  // Nothing where it was looked at before, or where there is no time left to simulate it.
  void look_at(const Point& point) {
    const std::size_t index =
        (point.tuning * space_.calls.size() + point.calls) * space_.buffers.size() + point.buffers;
    if (looked_at_[index]) return;
    if (bounds_[point.tuning].empty() && !has_time()) return;
    const bool is_proven = bound_of(point) >= best();
    if (!is_proven && !has_time()) return;
    looked_at_[index] = true;
    if (is_proven) {
      ++result_.n_proven;
    } else {
      compare(point);
    }
  }

  void compare(const Point& point) {
    PlanResult found;
    found.plan = {with_buffers(space_.tunings[point.tuning], space_.buffers[point.buffers]),
                  space_.calls[point.calls]};
    const std::vector<Design> designs = designs_of(layer(found.plan.tuning), found.plan.calls);
    found.bound_ms = bound_ms(designs);
    // With the controller's tasks the bound is a little higher.
    if (options_.objective == Objective::time && found.bound_ms >= result_.best.ms) {
      ++result_.n_proven;
      return;
    }
    if (!evaluate(designs, found)) {
      ++result_.n_refused;
      return;
    }
    const bool is_better = score_of(found.ms, static_cast<double>(found.ddr_bytes)) < best();
    if (is_better && !passes_check(designs)) {
      ++result_.n_refused;
      return;
    }
    ++result_.n_simulated;
    if (!is_better) return;
    result_.best = found;
    top_ = point;
  }

  // Cheaper than check(): most of what does not fit has too large panels.
  static bool fits(const Design& design) {
    return std::ranges::all_of(design.regions, [&](const Region& region) {
      return region.offset + region.bytes <= design.memories[region.memory].bytes;
    });
  }

  CallResult simulate_call(const Design& design) {
    ++result_.n_calls;
    CallResult result;
    try {
      result.is_refused = !fits(design);
      if (result.is_refused) return result;
      const SimReport report = time_call(design, options_.preset).report;
      result.cycles = report.cycles;
      result.ddr_bytes = report.ddr_read_bytes + report.ddr_write_bytes;
    } catch (const SimulationError&) {
      result.is_refused = true;
    } catch (const ControlError&) {
      result.is_refused = true;
    }
    return result;
  }

  // False where the array cannot run one of the calls.
  bool evaluate(const std::vector<Design>& designs, PlanResult& plan) {
    double cycles = 0;
    for (const Design& design : designs) {
      const std::uint64_t key = result_key(design, options_.preset);
      std::optional<CallResult> result = cache_.find(key);
      if (!result) {
        result = simulate_call(design);
        cache_.store(key, *result);
      }
      if (result->is_refused) return false;
      cycles += result->cycles;
      plan.ddr_bytes += result->ddr_bytes;
    }
    plan.ms = ms_of(cycles, designs.size());
    return true;
  }

  // A call that does not is remembered as one that the array cannot run.
  bool passes_check(const std::vector<Design>& designs) {
    for (const Design& design : designs) {
      if (check(design).empty()) continue;
      cache_.store(result_key(design, options_.preset), {true, 0, 0});
      return false;
    }
    return true;
  }

  const TuneOptions& options_;
  const TuningSpace& space_;
  ResultCache own_cache_;
  ResultCache& cache_;
  Clock::time_point start_;
  std::vector<bool> looked_at_;             // by tuning, calls and buffers
  std::vector<std::vector<Score>> bounds_;  // by tuning and calls; found when they are asked for
  struct KnownBytes {
    LayerTuning tuning;
    std::array<std::array<double, kLayerOps>, kLayerOps> calls{};  // by first and last operation
  };
  std::vector<KnownBytes> bytes_;
  Point top_;  // the best one's
  TuneResult result_;
};

}  // namespace

TuneResult tune(const TuneOptions& options, const TuningSpace& space) {
  return Tuner(options, space).run();
}

}  // namespace wnpu::npu
