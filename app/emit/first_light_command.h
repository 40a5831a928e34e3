// `whisper-npu npu first-light`: the calls of a layer on an NPU, or on its simulator, compared with
// the simulator's bits and timed.
#pragma once

#include <cstddef>
#include <optional>
#include <string>

#include "app/emit/calls.h"
#include "npu/first_light/result.h"

namespace wnpu::app {

struct FirstLightChoice {
  std::string device = "npu";  // "npu", "npu:1", "sim"
  std::string xclbin;
  std::string preset{npu::kDefaultPreset};  // of the simulator
  std::optional<double> clock_ghz;
  std::size_t runs = 20;
  unsigned threads = 0;  // of the simulator; 0: as many as this process may use
  std::string until{npu::kStepNames.back()};
  bool keeps_going = false;
  bool json = false;
  std::string output;  // file for the JSON; empty: none
  bool overwrites = false;
};

// The process' exit code. Throws what exit_code_of() knows.
int first_light(const FirstLightChoice& choice, const std::string& size,
                const std::string& precision);

}  // namespace wnpu::app
