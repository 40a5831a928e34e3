// fp32 -> the number types of model files: what models/files reads, the other way round.
#pragma once

#include <string>
#include <vector>

#include "models/base/tensor.h"
#include "models/files/tensor_view.h"

namespace wnpu::models {

// Values as a file has them.
struct StoredValues {
  std::string bytes;
  std::vector<float> row_scales = {};  // has_row_scales(): one a row
};

// Rows of values in any type, each value rounded to the nearest that its row
// or block of 32 has. i8_rows and i16_rows have the scales of CTranslate2's converter: 127 by the
// row's largest value, and for all rows 1024 by the matrix's, so that its sums fit 32 bits. `name`
// is for messages. Throws ModelError for a NaN or infinity, for rows that are not
// whole blocks, and where a value or a block's scale exceeds fp16.
StoredValues stored_values(DType dtype, ConstMatrixView values, const std::string& name);

// A matrix as fp32 again: what a reader of the file will have.
Matrix read_back(const StoredValues& stored, DType type, std::size_t rows, std::size_t cols);
Matrix rounded_to_nearest(ConstMatrixView values, DType type, const std::string& name);

}  // namespace wnpu::models
