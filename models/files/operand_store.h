// Matrices as the kernels multiply by them, kept beside a model's weights: what is packed once need
// not be packed again. Bytes and numbers alone; what they mean is
// models/weights/prepacked_weights.h's.
#pragma once

#include <cstddef>
#include <span>
#include <string>

namespace wnpu::models {

// A right side [k, n] of a product. A view.
struct PackedOperand {
  std::string number;  // "u8"
  std::size_t k = 0;
  std::size_t n = 0;
  std::size_t panel_cols = 0;
  float left_limit = 0;
  std::span<const std::byte> panels;
  std::span<const float> scales;   // of the columns; empty: none
  std::span<const float> sums;     // of the columns
  std::span<const float> centre;   // [k], of what has a basis
  std::span<const float> balance;  // [k]
};

// The build and the instruction set that packed the operands. They are used only if both are equal
// to this program's.
struct Packing {
  std::string build;         // of the packing code
  std::string instructions;  // the instruction set, which decides the layout

  bool operator==(const Packing&) const = default;
};

class OperandStore {
 public:
  virtual ~OperandStore() = default;

  virtual const Packing& packing() const = 0;
  // The operand with this key, valid as long as the store. Null: there is none, and the caller
  // packs the matrix.
  virtual const PackedOperand* find(const std::string& key) const = 0;
  // Keeps a matrix that the caller packed because find() had none.
  virtual void keep(const std::string& key, const PackedOperand& made) = 0;
};

}  // namespace wnpu::models
