// Packed matrices out of a store beside the weights, and into one.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "models/files/operand_store.h"
#include "models/kernels/operands/packed_b.h"

namespace wnpu::models {

// Packing of this program: its build, and the instruction set in use.
Packing present_packing();

// Request for a packed matrix.
struct WantedOperand {
  std::string name;  // for messages: "PATH: NAME"
  std::string key;   // says all that it is made of, but for its number
  kernels::DataType number;
  std::size_t k;
  std::size_t n;
  // All of it is read for each token: with 4 KB pages, as a file's are, finding it takes a tenth of
  // a decoder's time, which huge pages save.
  bool is_copied = false;
};

struct PrepackedWeights {
  kernels::PackedB side;
  std::vector<float> centre;  // [k], of what has a basis
  std::vector<float> balance;
};

// A view of the store's. Nothing: it is not there, or packed by another build, for another
// instruction set, or OpenBLAS multiplies. Where f16 is wanted, what there is may be f32, as with
// pack_weights. Throws ModelError for one that is not what its key says.
std::optional<PrepackedWeights> find_stored(const OperandStore* store, const WantedOperand& wanted);

// Keeps the matrix in the store, if any, as what was wanted: f16, also where f32 was made.
void keep_stored(OperandStore* store, const WantedOperand& wanted, const kernels::PackedB& made,
                 const std::vector<float>& centre = {}, const std::vector<float>& balance = {});

}  // namespace wnpu::models
