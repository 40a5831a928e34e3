#include "models/prepared_linear.h"

#include "models/byte_gemm.h"

namespace wnpu::models {
namespace {

IntegerWidth width_of(Precision precision) {
  return precision == Precision::int8 ? IntegerWidth::int8 : IntegerWidth::int16;
}

}  // namespace

PreparedLinear::PreparedLinear(ThreadPool& pool, Precision precision,
                               std::initializer_list<ScaledLinear> parts) {
  if (precision == Precision::fp32) {
    linear_ = pack_side_by_side(pool, parts, Storage::fp16);
  } else if (multiplies_bytes(precision)) {
    linear_ = bytes_side_by_side(pool, parts);
  } else {
    linear_ = quantise_side_by_side(pool, parts, width_of(precision));
  }
}

template <typename... Pool>
void PreparedLinear::apply_on(const Input& in, MatrixView y, Pool&... pool) const {
  if (const auto* packed = std::get_if<PackedLinear>(&linear_)) {
    gemm(pool..., Product{in.x, packed->weight, packed->bias, in.finish}, y);
    return;
  }
  if (const auto* bytes = std::get_if<ByteLinear>(&linear_)) {
    in.room.bytes.set(pool..., in.x);
    gemm(pool..., ByteProduct{in.room.bytes, bytes->weight, bytes->bias, in.finish}, y);
    return;
  }
  const auto& quantised = std::get<QuantisedLinear>(linear_);
  QuantisedRows& rows = in.room.integers;
  rows.set(pool..., in.x, quantised.weight.left_limit());
  gemm(pool..., IntegerProduct{rows, quantised.weight, quantised.bias, in.finish}, y);
}

void PreparedLinear::apply(ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
                           Room& room) const {
  apply_on({x, finish, room}, y, pool);
}

void PreparedLinear::apply(ConstMatrixView x, Finish finish, MatrixView y, Room& room) const {
  apply_on({x, finish, room}, y);
}

}  // namespace wnpu::models
