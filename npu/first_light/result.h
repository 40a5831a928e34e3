// Options and results of first light.
#pragma once

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/design/layer_abi.h"
#include "npu/first_light/measured_table.h"
#include "npu/first_light/regions.h"

namespace wnpu::npu {

enum class FirstLightStep { kernel, product, batched, fused, encoder, measure };
inline constexpr std::array<std::string_view, 6> kStepNames{"kernel", "product", "batched",
                                                            "fused",  "encoder", "measure"};
enum class StepStatus { passed, failed, not_run };
inline constexpr std::array<std::string_view, 3> kStatusNames{"passed", "failed", "not run"};

// Comparison of the results of one call.
struct Check {
  std::string call;    // "attend"
  std::string values;  // kValuesNames
  std::size_t compared = 0;
  std::vector<Difference> differences;  // one a region
};

struct StepResult {
  FirstLightStep step = FirstLightStep::kernel;
  StepStatus status = StepStatus::not_run;
  std::string reason;  // why it failed, or was not run
  std::vector<Check> checks;
};

// A call on its own, from the host's side: launch, work and the wait for its end.
struct CallTime {
  std::string call;
  std::size_t runs = 0;
  double median_us = 0;
  double p95_us = 0;
};

// By difference (microbenchmarks.h), or of one call.
struct Measured {
  std::string name;
  std::string unit;
  std::optional<double> value;
  std::string note;  // what it rests on, or why there is no value
};

struct Machine {
  std::string product;   // "Phoenix mini PC"
  std::string device;    // Device::description()
  std::string driver;    // "amdxdna 0.6", empty: unknown
  std::string firmware;  // "1.5.5.391"
  bool is_simulated = false;
  std::optional<double> clock_ghz;
  std::string clock_source;
};

struct FirstLightOptions {
  LayerShape shape;
  Precision precision = Precision::bf16;
  std::size_t layers = 1;                         // of the encoder
  std::size_t runs = 20;                          // timed, of each call
  FirstLightStep last = FirstLightStep::measure;  // that is run
  bool keeps_going = false;
  std::chrono::milliseconds timeout{10000};  // of a submission
  int threads = 1;                           // of the simulator beside the device
  std::optional<double> clock_ghz;           // of the array; none: found from a stream's rate
  std::string clock_source;
  Machine machine;                               // what is known of it beforehand
  std::function<void(const std::string&)> tell;  // progress, a line each; may be empty
};

struct FirstLight {
  Machine machine;
  LayerShape shape;
  Precision precision = Precision::bf16;
  std::string_view target{npu1().name};
  std::string overlay;
  std::vector<StepResult> steps;
  std::vector<CallTime> times;
  std::vector<Measured> measured;
  std::optional<MeasuredTable> table;
  std::optional<double> watts;  // while the layer ran over and over

  bool has_passed() const;  // no step has failed
};

// JSON by first_light.schema.json. `date`: when it ran, "2026-08-05T12:00:00Z".
std::string first_light_json(const FirstLight& result, const std::string& date);
// A report for people; says that nothing was measured where the device is the simulator.
std::string first_light_text(const FirstLight& result);
// "0x3f80", bfloat16.
std::string bits_text(std::uint16_t bits);

}  // namespace wnpu::npu
