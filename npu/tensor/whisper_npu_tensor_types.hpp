// Tensors, and reports on how the results of tensor operations came about; installed beside
// whisper_npu_tensor.hpp, which includes it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace wnpu {

// Row-major. The last size is that of a row; each is at least 1.
struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;
};

// How exact a result is: |found - exact| <= absolute + relative * magnitude, half a step of bf16
// aside where has_half_step. `exact` is of the operands as they were rounded before.
struct TensorBound {
  double absolute = 0;
  double relative = 0;
  bool has_half_step = true;
  std::string magnitude;  // what each element's is
  std::string operands;   // "as bf16": how they were rounded
};

// How a result came about.
struct TensorReport {
  std::string operation;        // "matmul bf16 [3, 4] x [4, 5]"
  std::string ran_on = "core";  // "cpu": no core does this, the CPU's reference did it
  std::string reason;           // why the CPU, or what is to be known of the cores' way; else empty
  std::string device;           // its description
  bool is_simulated = false;
  std::size_t calls = 0;            // of programs on the array
  double modelled_ms = 0;           // of the simulator's time model, never measured; 0 on hardware
  double wall_ms = 0;               // of the host; on a simulator the simulation's
  std::uint64_t sent_bytes = 0;     // to the device
  std::uint64_t fetched_bytes = 0;  // from it
  std::uint64_t ddr_bytes = 0;      // moved by the simulated array; 0 on hardware
  std::uint64_t memory_bytes = 0;   // most that buffers took at once, as the device counted
  std::uint64_t apart_bytes = 0;    // if no buffer had been used twice
  TensorBound bound;
};

struct TensorResult {
  Tensor value;
  TensorReport report;
};

}  // namespace wnpu
