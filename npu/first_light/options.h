// Options of first light.
#pragma once

#include <chrono>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>

#include "npu/design/layer_abi.h"
#include "npu/first_light/result.h"

namespace wnpu::npu {

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

}  // namespace wnpu::npu
