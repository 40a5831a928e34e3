// How fast tile kernels run: one number a class of kernels, each with where it comes from.
#pragma once

#include <string_view>

namespace wnpu::npu {

// Source of a number. Nothing is measured by this project, which has no NPU.
enum class Provenance {
  measured,   // on silicon, by the source named
  counted,    // from instructions or hardware limits, by hand or by counted_kernels.cpp
  assumed,    // a guess; what it rests on is named
  simulated,  // by first light on the simulator: what the model was given, found again
};
std::string_view provenance_name(Provenance provenance);

// One number of a KernelTable.
struct Rate {
  double value = 0;
  Provenance provenance = Provenance::assumed;
  std::string_view source;  // who measured it and on what; what the guess rests on
};
constexpr Rate measured_rate(double value, std::string_view source) {
  return {value, Provenance::measured, source};
}

// How fast one class of tile kernels runs; whole calls, MAC = multiply-accumulate. A table may
// predict only what its rates were not taken from: see npu/README.md, "Time model".
struct KernelTable {
  std::string_view name;      // "goal", "published", "open-source", "gemm", "counted"
  std::string_view rests_on;  // what has to be true for its times, one sentence
  Rate bf16_mac_per_cycle;    // GEMM
  Rate int8_mac_per_cycle;    // GEMM, int32 result
  Rate attention_mac_per_cycle;
  Rate softmax_cycles;     // a score
  Rate layer_norm_cycles;  // an element
  Rate gelu_cycles;        // an element, bias and store included
  Rate epilogue_cycles;    // an element: bias, residual and store
  Rate quantise_cycles;    // an element: row maximum, scale, store as int8
  Rate dequantise_cycles;  // an element of an int8 product: int32 to float, two scales
  Rate call_cycles;        // a kernel call: locks, loop, branch
};

// The table `counted`: issue bounds (npu/kernel/issue_limits.h) of the tile kernels at the sizes of
// the layer designs, from the instructions that the counting target of npu/kernel/ counts. Made at
// the first call, in some milliseconds. Each rate's source gives the counts it comes from.
const KernelTable& counted_kernel_table();

}  // namespace wnpu::npu
