#include "models/prepared_linear.h"

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
  const auto& quantised = std::get<QuantisedLinear>(linear_);
  in.rows.set(pool..., in.x, quantised.weight.left_limit());
  gemm(pool..., IntegerProduct{in.rows, quantised.weight, quantised.bias, in.finish}, y);
}

void PreparedLinear::apply(ThreadPool& pool, ConstMatrixView x, Finish finish, MatrixView y,
                           QuantisedRows& rows) const {
  apply_on({x, finish, rows}, y, pool);
}

void PreparedLinear::apply(ConstMatrixView x, Finish finish, MatrixView y,
                           QuantisedRows& rows) const {
  apply_on({x, finish, rows}, y);
}

}  // namespace wnpu::models
