// An operator of the NPU, whole: shapes, types, what is right, what the CPU runs, the tile kernel
// of a core, its tasks, its cost and how exact it is. Entries are made in entries_*.cpp, or come
// from a user's library (library.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include "npu/core/phase_header.h"
#include "npu/core/task.h"
#include "npu/design/kernel_table.h"
#include "npu/ops/whisper_npu_operator.h"

namespace wnpu::npu {

// A library that gives no operator, or an operator that does not do what it says. what()
// names it, what was expected and what was found.
struct OperatorError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

enum class ElementType { float32, bfloat16, int8, int32 };
std::size_t bytes_of(ElementType type);
std::string_view type_name(ElementType type);

// One number of a tile's shape.
struct OperatorSize {
  std::string name;
  std::size_t multiple = 1;
  std::size_t most = 1;
};
using Sizes = std::vector<std::uint64_t>;

struct OperatorAttribute {
  std::string name;
  double value = 0;
  std::string meaning;
};

// Error at most absolute + relative * magnitude, half a step of the result's type aside.
struct ErrorBound {
  double absolute = 0;
  double relative = 0;
};

// [sizes[rows], sizes[columns]], or [sizes[rows]] where columns is kNoColumns; in tiles of
// tile_rows x tile_columns in a core's buffer.
struct Operand {
  std::string name;
  ElementType type = ElementType::bfloat16;
  std::size_t rows = 0;
  std::size_t columns = kNoColumns;
  std::size_t tile_rows = 1;
  std::size_t tile_columns = 1;
  std::function<ErrorBound(const Sizes&)> bound = {};  // of results

  static constexpr std::size_t kNoColumns = static_cast<std::size_t>(-1);
  std::size_t n_rows(const Sizes& sizes) const { return sizes[rows]; }
  std::size_t n_columns(const Sizes& sizes) const {
    return columns == kNoColumns ? 1 : sizes[columns];
  }
  std::size_t elements(const Sizes& sizes) const { return n_rows(sizes) * n_columns(sizes); }
  std::size_t bytes(const Sizes& sizes) const { return elements(sizes) * bytes_of(type); }
};

using OperatorCall = whisper_npu_operator_call;

// Cycles of one tile on one core.
struct TileCost {
  double cycles = 0;
  Provenance provenance = Provenance::assumed;
  std::string source;
};

struct Operator {
  std::string name = {};
  std::string summary = {};
  std::string source = "built in";  // or the path it came from
  std::vector<OperatorSize> sizes = {};
  std::vector<OperatorAttribute> attributes = {};
  std::vector<Operand> inputs = {};
  std::vector<Operand> outputs = {};
  double largest = 0;  // magnitude of values up to which the bounds hold; 0: all
  bool keeps_nan = true;

  // One tile, all arrays double (exact, which fills magnitudes) or float, row-major.
  std::function<void(const OperatorCall&)> exact = {};
  std::function<void(const OperatorCall&)> reference = {};
  // Kernel and tasks of a core's program that do one tile of it; none: the program has no phase for
  // it, and the CPU's reference runs in its place.
  std::optional<Kernel> kernel = {};
  std::vector<Task> tasks = {};

  // The tile kernel as this host runs it; empty: there is none. Sets the array's float mode itself.
  std::function<void(const OperatorCall&)> tile = {};
  // The least cycles that the tile kernel takes, or what its maker says; empty: nobody knows.
  std::function<std::optional<TileCost>(const Sizes&)> cost = {};

  std::vector<double> attribute_values() const;
  // Error in the sizes: their number, multiples, or an operand too large for a core's buffers;
  // empty if there is none.
  std::string size_fault(const Sizes& sizes) const;
  std::string sizes_text(const Sizes& sizes) const;  // "m=64 n=64"
  // A shape of moderate size, every number up to 64 where there are several.
  Sizes usual_sizes() const;
};

// Whether `other` has the sizes, operands, types and layouts of `op`, so that it can stand in for
// it; else what differs.
std::string signature_fault(const Operator& op, const Operator& other);

}  // namespace wnpu::npu
