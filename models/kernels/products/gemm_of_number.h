// Products that gemm() chooses from by the numbers of the right side, each in a file of its own.
#pragma once

#include "models/kernels/products/product.h"
#include "models/kernels/products/product_shares.h"

namespace wnpu::kernels {

// c = finish(a b + bias) for a share of c's rows and of b's panels.
void multiply_f32(const Product& product, MatrixView c, const ProductShare& share);  // f16 too
void multiply_bf16(const Product& product, MatrixView c, const ProductShare& share);
void multiply_i16(const Product& product, MatrixView c, const ProductShare& share);  // i8 too
void multiply_u8(const Product& product, MatrixView c, const ProductShare& share);
// f32 by OpenBLAS: the share's rows, and all columns; or all of both, on all threads.
void multiply_blas(const Product& product, MatrixView c, const ProductShare& share);
void multiply_blas(models::ThreadPool& pool, const Product& product, MatrixView c);
void multiply_u4(const Product& product, MatrixView c, const ProductShare& share);

}  // namespace wnpu::kernels
