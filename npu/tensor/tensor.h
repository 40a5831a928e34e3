// Inputs and results of the tensor operations.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::npu::ops {

// Operands that make no sense. what() names the call, its sizes, what was expected and found.
struct TensorError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Row-major; the last size is that of a row.
struct Tensor {
  std::vector<std::size_t> shape;
  std::vector<float> values;

  std::size_t dimensions() const { return shape.size(); }
  // All sizes but the last together, and the last. Of a tensor that has one.
  std::size_t rows() const;
  std::size_t columns() const { return shape.back(); }
};
Tensor zeros(std::vector<std::size_t> shape);
std::string shape_text(std::span<const std::size_t> shape);  // "[2, 3]"

// Types of operands on the array. int8 and int16 have a scale a row of the left operand and a
// column of the right one.
enum class Type { bf16, int8, int16 };
std::string_view type_name(Type type);
std::optional<Type> find_type(std::string_view name);

// Which operands, and how exact: |found - exact| <= absolute + relative * magnitude, half a bf16
// step of the result aside where `has_half_step`. `magnitude` says what each element's is.
struct Bound {
  double absolute = 0;
  double relative = 0;
  bool has_half_step = true;
  std::string magnitude;
  std::string operands;  // "as bf16": how they were rounded before, which is not in the bound
};

enum class RanOn { core, cpu };

// How a result came about.
struct Report {
  std::string operation;  // "matmul bf16 [3, 4] x [4, 5]"
  RanOn ran_on = RanOn::core;
  std::string reason;  // why the CPU; or what is to be known of how the cores did it; else empty
  std::string device;  // its description
  bool is_simulated = false;
  std::size_t calls = 0;            // of programs on the array
  double modelled_ms = 0;           // of the simulator's time model, never measured; 0 on hardware
  double wall_ms = 0;               // of the host, from the start of the work to the result
  std::uint64_t sent_bytes = 0;     // to the device
  std::uint64_t fetched_bytes = 0;  // from it
  std::uint64_t ddr_bytes = 0;      // moved by the simulated array; 0 on hardware
  std::size_t memory_bytes = 0;     // most that was allocated on the device at once
  std::size_t apart_bytes = 0;      // if each buffer of each call had had memory of its own
  Bound bound;
};

struct Result {
  Tensor value;
  Report report;
};

}  // namespace wnpu::npu::ops
