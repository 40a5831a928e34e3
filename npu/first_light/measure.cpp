#include <algorithm>
#include <map>
#include <utility>

#include "npu/first_light/call_set.h"
#include "npu/first_light/microbenchmarks/inputs.h"
#include "npu/first_light/microbenchmarks/microbenchmarks.h"
#include "npu/first_light/steps.h"
#include "npu/sim/compile_call.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kListLength = 24;  // XRT's longest list of runs (npu/xrt/xrt_compat.h)
constexpr std::uint64_t kMicrobenchmarkSeed = 7;
// DDR that is this near to its measured rate is what a time was measured of.
constexpr double kBusy = 0.9;
constexpr std::string_view kNoLonger = "the call with more of it took no longer";
constexpr std::string_view kByDdr = "DDR was the limit: not taken as the kernel's";

// Totals of a benchmark: the weighted sum over its calls.
struct Reading {
  double us = 0;
  double units = 0;
  double read_bytes = 0;
  double write_bytes = 0;
  double pushes = 0;
  double waits = 0;

  double us_a_unit() const { return us / units; }
};

class TableBuilder {
 public:
  TableBuilder(Device& device, const FirstLightOptions& options, FirstLight& result)
      : device_(device),
        options_(options),
        result_(result),
        timer_(device, options.runs, options.timeout),
        preset_(find_preset(usual_preset(device.target()))),
        table_(empty_table(device.target(), result.machine.product, device.is_simulated())) {}

  std::optional<MeasuredTable> run() {
    for (const Microbenchmark& benchmark : microbenchmarks(device_.target()))
      readings_[benchmark.quantity] = read(benchmark);
    find_clock();
    if (!result_.machine.clock_ghz) return std::nullopt;
    table_.preset.clock_ghz = *result_.machine.clock_ghz;
    const bool has_ddr = find_ddr();
    find_controller();
    find_attention();
    find_kernels();
    const bool has_launch = find_launch();
    if (!has_ddr || !has_launch) return std::nullopt;
    return std::move(table_);
  }

 private:
  double time_of(const NamedDesign& call, std::size_t times = 1) {
    const std::string name =
        times == 1 ? call.name : call.name + ", a list of " + std::to_string(times);
    const auto known = std::ranges::find(result_.times, name, &CallTime::call);
    if (known != result_.times.end()) return known->median_us;
    CallSet calls(device_, {&call, 1});
    for (std::size_t i = 0; i < calls.n_arguments(); ++i) {
      std::vector<std::byte> bytes(call.design.memories[i].bytes);
      fill_numbers(bytes, Values::ordinary, kMicrobenchmarkSeed + i);
      calls.write(i, bytes);
    }
    const std::vector<Run> list(times, calls.run_of(0));
    result_.times.push_back(timer_.time(name, list));
    return result_.times.back().median_us;
  }

  Reading read(const Microbenchmark& benchmark) {
    Reading reading;
    reading.units = benchmark.units;
    for (const MicrobenchmarkTerm& term : benchmark.terms) {
      reading.us += term.weight * time_of(term.call);
      // Bytes and operations of a call do not depend on its speed, so the model's are right.
      const TimedCall modelled = time_call(term.call.design, preset_);
      reading.read_bytes += term.weight * static_cast<double>(modelled.report.ddr_read_bytes);
      reading.write_bytes += term.weight * static_cast<double>(modelled.report.ddr_write_bytes);
      for (const Operation& operation : modelled.program.program.operations) {
        if (std::holds_alternative<PushTask>(operation)) reading.pushes += term.weight;
        if (std::holds_alternative<WaitForTokens>(operation)) reading.waits += term.weight;
      }
    }
    return reading;
  }

  void find_clock() {
    const Reading& stream = readings_.at(Quantity::stream_cycle);
    Machine& machine = result_.machine;
    if (options_.clock_ghz) {
      machine.clock_ghz = options_.clock_ghz;
      machine.clock_source = options_.clock_source;
    } else if (stream.us > 0) {
      machine.clock_ghz = 1e-3 / stream.us_a_unit();
      machine.clock_source = "a stream's rate, taken as 4 bytes a cycle; the clock may be higher";
    }
    if (stream.us > 0) {
      note("stream", "4 bytes each ns", 1e-3 / stream.us_a_unit(), "of one core, a cycle each");
    } else {
      note("stream", "4 bytes each ns", std::nullopt, kNoLonger);
    }
  }

  double cycles(double us) const { return us * 1e3 * table_.preset.clock_ghz; }

  void note(std::string name, std::string unit, std::optional<double> value,
            std::string_view text = "") {
    result_.measured.push_back({std::move(name), std::move(unit), value, std::string(text)});
  }

  Rate rate(double value, std::string_view what) {
    const std::string source = "first light on " + table_.machine + ": " + std::string(what);
    return {value, device_.is_simulated() ? Provenance::simulated : Provenance::measured,
            table_.keep(source)};
  }

  bool find_ddr() {
    const auto find = [&](Quantity quantity, const std::string& name, double& to) {
      const Reading& reading = readings_.at(quantity);
      if (reading.us <= 0) {
        note(name, "GB/s", std::nullopt, kNoLonger);
        return false;
      }
      to = 1e-3 / reading.us_a_unit();
      note(name, "GB/s", to, "all shim channels together; streams may be the limit");
      return true;
    };
    const bool has_read = find(Quantity::ddr_read, "DDR read", table_.preset.ddr_read_gb_per_s);
    const bool has_write = find(Quantity::ddr_write, "DDR write", table_.preset.ddr_write_gb_per_s);
    return has_read && has_write;
  }

  void find_controller() {
    ControllerCosts& costs = *table_.costs;
    const Reading& registers = readings_.at(Quantity::register_write);
    if (registers.us > 0) {
      costs.write = rate(cycles(registers.us_a_unit()), "registers set before a call");
      note("register write", "cycles", costs.write.value, "by the controller");
    } else {
      note("register write", "cycles", std::nullopt, kNoLonger);
    }
    const Reading& tasks = readings_.at(Quantity::task);
    const double all = cycles(tasks.us);
    const double beside = (tasks.pushes + tasks.waits) * costs.write.value;
    if (all <= beside) {
      note("1000 task pushes", "us", std::nullopt, kNoLonger);
      return;
    }
    costs.push = rate((all - beside) / tasks.pushes, "tasks of held descriptors");
    note("1000 task pushes", "us", 1000 * tasks.us / tasks.pushes, "given and waited for");
    note("task push", "cycles", costs.push.value + costs.write.value, "without the wait");
  }

  // Whether DDR was not what the time is of; else says so.
  bool is_by_kernel(const Reading& reading, const std::string& name) {
    if (reading.us <= 0) {
      note(name, "cycles", std::nullopt, kNoLonger);
      return false;
    }
    const double read = 1e-3 * reading.read_bytes / reading.us;
    const double write = 1e-3 * reading.write_bytes / reading.us;
    const HardwareModel& preset = table_.preset;
    const bool is_by_ddr =
        read > kBusy * preset.ddr_read_gb_per_s || write > kBusy * preset.ddr_write_gb_per_s;
    note(name, "cycles", cycles(reading.us_a_unit()), is_by_ddr ? kByDdr : "");
    return !is_by_ddr;
  }

  // One number for two rates: products as fast as the table's, and the softmax has the rest; where
  // that leaves nothing, all is products.
  void find_attention() {
    const Reading& reading = readings_.at(Quantity::attention_step);
    if (!is_by_kernel(reading, "attention step")) return;
    KernelTable& kernels = table_.preset.kernels;
    const double step = cycles(reading.us_a_unit()) - kernels.call_cycles.value;
    constexpr double kScores = static_cast<double>(kQueries * kKeys);
    constexpr double kMacs = 2 * kScores * static_cast<double>(kHeadWidth);
    const double products = kMacs / kernels.attention_mac_per_cycle.value;
    if (step > products) {
      kernels.softmax_cycles =
          rate((step - products) / kScores, "a step of attention less its products");
    } else if (step > 0) {
      kernels.attention_mac_per_cycle = rate(kMacs / step, "a step of attention, softmax as well");
      kernels.softmax_cycles = rate(0, "in the products' rate");
    }
  }

  void find_kernels() {
    KernelTable& kernels = table_.preset.kernels;
    const double call = kernels.call_cycles.value;
    const Reading& product = readings_.at(Quantity::product_step);
    const double step = cycles(product.us_a_unit()) - call;
    if (is_by_kernel(product, "product step") && step > 0) {
      kernels.bf16_mac_per_cycle = rate(kTileMacs / step, "64x64 by 64x64");
    }
    const Reading& gelu = readings_.at(Quantity::gelu_tile);
    if (is_by_kernel(gelu, "GELU of a tile")) {
      kernels.gelu_cycles =
          rate(kernels.epilogue_cycles.value + cycles(gelu.us_a_unit()) / kTileElements,
               "what it takes longer than the epilogue without, and that of the table");
    }
    const Reading& norm = readings_.at(Quantity::norm_rows);
    // The core waits until its only place for results is free: 4 bytes a cycle.
    constexpr double kDrain = static_cast<double>(kElementBytes) / 4;
    const double rows = cycles(norm.us_a_unit()) - call - kDrain;
    if (is_by_kernel(norm, "LayerNorm of 4 rows of 1024") && rows > 0) {
      kernels.layer_norm_cycles = rate(rows / kNormElements, "4 rows of 1024, less their way out");
    }
  }

  // A short call, less what the array does of it by the costs that were measured.
  bool find_launch() {
    const NamedDesign call = short_call(device_.target());
    const double own_us = 1e3 * time_call(call.design, table_.preset).report.ms;
    const double alone = time_of(call) - own_us;
    const double listed = time_of(call, kListLength) / static_cast<double>(kListLength) - own_us;
    constexpr std::string_view kNote = "a short call, less its operations at the costs measured";
    const bool is_found = alone > 0 && listed > 0;
    table_.preset.launch_us = alone;
    table_.preset.list_launch_us = listed;
    note("launch", "us", is_found ? std::optional(alone) : std::nullopt, kNote);
    note("launch in a list", "us", is_found ? std::optional(listed) : std::nullopt, kNote);
    return is_found;
  }

  Device& device_;
  const FirstLightOptions& options_;
  FirstLight& result_;
  CallTimer timer_;
  HardwareModel preset_;  // whose times mean nothing here
  MeasuredTable table_;
  std::map<Quantity, Reading> readings_;
};

}  // namespace

std::optional<MeasuredTable> measure(Device& device, const FirstLightOptions& options,
                                     FirstLight& result) {
  return TableBuilder(device, options, result).run();
}

}  // namespace wnpu::npu
