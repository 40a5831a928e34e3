#include "models/kernels/vectors/blas.h"

#include <algorithm>
#include <cassert>
#include <cstddef>
#include <cstdlib>
#include <mutex>
#include <string>

#include "models/base/shared_library.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::kernels {
namespace {

// cblas.h: CblasRowMajor, CblasNoTrans; 32-bit integers, as in Debian's package.
constexpr int kRowMajor = 101;
constexpr int kNoTranspose = 111;

struct OpenBlas {
  void (*sgemm)(int order, int transpose_a, int transpose_b, int m, int n, int k, float alpha,
                const float* a, int a_stride, const float* b, int b_stride, float beta, float* c,
                int c_stride) = nullptr;
  void (*set_num_threads)(int) = nullptr;
  const char* (*corename)() = nullptr;
};

struct Loaded {
  OpenBlas blas;
  std::string fault;  // why it cannot be used; empty: it is there
};

// OpenBLAS chooses its kernels by a CPU's name, and the oldest for one that it does not know,
// unless this says what to take; on ARM it knows them. nullptr: it may choose.
const char* core_type() {
  switch (instruction_set()) {
    case InstructionSet::amx:
    case InstructionSet::avx3_dl:
    case InstructionSet::avx3_vnni:
    case InstructionSet::avx3:
      return "SkylakeX";
    case InstructionSet::avx2_vnni:
    case InstructionSet::avx2:
      return "Haswell";
    case InstructionSet::sse4:
      return "Nehalem";
    case InstructionSet::neon_dot:
    case InstructionSet::neon:
      return nullptr;
    default:
      return "Core2";
  }
}

Loaded load() {
  constexpr const char* kVariable = "OPENBLAS_CORETYPE";
  const bool user_says = core_type() == nullptr || std::getenv(kVariable) != nullptr;
  if (!user_says) ::setenv(kVariable, core_type(), 0);
  Loaded loaded;
  try {
    const models::SharedLibrary<> library("libopenblas.so.0", "OpenBLAS", "libopenblas0");
    loaded.blas.corename = library.find("openblas_get_corename");
    loaded.blas.sgemm = library.find("cblas_sgemm");
    loaded.blas.set_num_threads = library.find("openblas_set_num_threads");
  } catch (const models::LibraryError& error) {
    loaded.fault = error.what();
  }
  if (!user_says) ::unsetenv(kVariable);
  return loaded;
}

// At the first call, to the end of the process.
const Loaded& loaded() {
  static const Loaded kLoaded = load();
  return kLoaded;
}

Gemm& chosen_gemm() {
  static Gemm gemm = Gemm::own;
  return gemm;
}

// With OpenMP inside, OpenBLAS keeps this number a calling thread; its buffers are everybody's.
void stay_on_this_thread() {
  static std::mutex one_at_a_time;
  thread_local bool is_set = false;
  if (is_set) return;
  const std::lock_guard lock(one_at_a_time);
  loaded().blas.set_num_threads(1);
  is_set = true;
}

int narrow(std::size_t size) {
  assert(size <= 0x7FFFFFFF);
  return static_cast<int>(size);
}

}  // namespace

bool has_blas() { return loaded().fault.empty(); }

std::string blas_description() {
  return std::string("OpenBLAS (") + loaded().blas.corename() + ")";
}

void use_gemm(Gemm gemm) {
  if (gemm == Gemm::blas && !has_blas()) throw models::LibraryError(loaded().fault);
  chosen_gemm() = gemm;
}

Gemm gemm_in_use() { return chosen_gemm(); }

void blas_multiply_add(models::ConstMatrixView a, models::ConstMatrixView b, models::MatrixView c) {
  assert(a.cols == b.rows && a.rows == c.rows && b.cols == c.cols);
  stay_on_this_thread();
  // OpenBLAS refuses rows that overlap: by parts of k that do not.
  const std::size_t most = a.rows == 1 ? a.cols : std::min(a.cols, a.stride);
  for (std::size_t k = 0; k < a.cols; k += most) {
    const std::size_t terms = std::min(most, a.cols - k);
    loaded().blas.sgemm(kRowMajor, kNoTranspose, kNoTranspose, narrow(a.rows), narrow(b.cols),
                        narrow(terms), 1, a.data + k, narrow(std::max(a.stride, terms)),
                        b.row(k).data(), narrow(b.stride), 1, c.data, narrow(c.stride));
  }
}

}  // namespace wnpu::kernels
