// Whether our kernels or OpenBLAS multiply fp32 matrices. Only this file calls OpenBLAS: the
// library is loaded when it is asked for, and nothing is linked against it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "models/base/tensor.h"

namespace wnpu::kernels {

enum class Gemm { own, blas };
inline constexpr std::array<std::string_view, 2> kGemmNames{"own", "blas"};

// Whether OpenBLAS is installed.
bool has_blas();
// fp32 matrices that are packed from now on are laid out for `gemm`, and multiplied by it. Throws
// models::LibraryError where OpenBLAS is asked for and not installed.
void use_gemm(Gemm gemm);
Gemm gemm_in_use();
// With the kernels that it takes: "OpenBLAS (SkylakeX)". Where it is installed.
std::string blas_description();

// c += a b by OpenBLAS, on this thread alone. a [m, k], b [k, n], c [m, n]. Rows of a may overlap.
void blas_multiply_add(models::ConstMatrixView a, models::ConstMatrixView b, models::MatrixView c);

}  // namespace wnpu::kernels
