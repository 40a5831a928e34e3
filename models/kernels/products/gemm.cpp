#include "models/kernels/products/gemm.h"

#include <cassert>

#include "models/kernels/products/gemm_of_number.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::kernels {
namespace {

void check_shapes([[maybe_unused]] const Product& p, [[maybe_unused]] MatrixView c) {
  assert(p.a.n_steps == p.b.n_steps() && c.rows <= p.a.n_rows && c.cols == p.b.n());
  assert(p.bias.empty() || p.bias.size() == p.b.n());
}

void multiply(const Product& product, MatrixView c, const ProductShare& share) {
  switch (product.b.number()) {
    case DataType::f32:
      if (product.b.is_one_panel()) return multiply_blas(product, c, share);
      return multiply_f32(product, c, share);
    case DataType::f16:
      return multiply_f32(product, c, share);
    case DataType::bf16:
      return multiply_bf16(product, c, share);
    case DataType::i16:
    case DataType::i8:
      return multiply_i16(product, c, share);
    case DataType::u8:
      return multiply_u8(product, c, share);
    case DataType::u4:
      return multiply_u4(product, c, share);
  }
}

}  // namespace

void gemm(const Product& product, MatrixView c) {
  check_shapes(product, c);
  multiply(product, c, {0, c.rows, 0, product.b.n_panels()});
}

void gemm(models::ThreadPool& pool, const Product& product, MatrixView c) {
  check_shapes(product, c);
  if (product.b.is_one_panel()) return multiply_blas(pool, product, c);
  for_each_share(pool, c.rows, product.b.n_panels(),
                 [&](const ProductShare& share) { multiply(product, c, share); });
}

std::string kernel_description() {
  const InstructionSet vectors =
      has_amx_instructions() ? InstructionSet::avx3_dl : instruction_set();
  return std::string(instruction_set_name(vectors)) +
         (vectors == InstructionSet::avx3_dl ? " with VNNI" : "") +
         (has_amx_instructions() ? ", AMX" : "") + (has_bf16_instructions() ? " and BF16" : "") +
         (gemm_in_use() == Gemm::blas ? ", fp32 by " + blas_description() : "");
}

}  // namespace wnpu::kernels
