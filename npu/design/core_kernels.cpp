#include "npu/design/core_kernels.h"

#include <array>

#include "npu/core/core_memory.h"
#include "npu/kernel/tile_shapes.h"

namespace wnpu::npu {
namespace {

using P = PhaseHeader;
using K = KernelTable;

std::size_t m_of(const P& p) { return p.m; }
std::size_t k_of(const P& p) { return p.k; }
std::size_t n_of(const P& p) { return p.n; }
std::size_t elements_of(const P& p) { return std::size_t{p.m} * p.k; }

constexpr std::array kNormSizes{SizeLimit{"rows", m_of, 1, kMaxTileRows},
                                SizeLimit{"width", k_of, 16, kElementBytes / 2}};
// Rows of a tile of kParameterFloats columns, four at a time.
constexpr std::array kGeluSizes{
    SizeLimit{"elements", elements_of, 4 * kParameterFloats, kElementBytes / 2}};
constexpr std::array kBf16Sizes{SizeLimit{"tile m", m_of, 8, kMaxTileRows},
                                SizeLimit{"tile k", k_of, 8, kElementBytes},
                                SizeLimit{"tile n", n_of, 8, kParameterFloats}};
constexpr std::array kInt8Sizes{SizeLimit{"tile m", m_of, 8, kMaxTileRows},
                                SizeLimit{"tile k", k_of, 8, kElementBytes},
                                SizeLimit{"tile n", n_of, 16, kParameterFloats}};
constexpr std::array kAttentionSizes{SizeLimit{"queries", m_of, 8, kMaxQueries},
                                     SizeLimit{"head width", k_of, 8, kMaxTileRows},
                                     SizeLimit{"keys", n_of, 16, kernel::kMaxKeys}};

constexpr std::array kKernelRows{CoreKernel{Kernel::layer_norm, "layer_norm", kNormSizes},
                                 CoreKernel{Kernel::gemm_bf16, "gemm_bf16", kBf16Sizes},
                                 CoreKernel{Kernel::gemm_int8, "gemm_int8", kInt8Sizes},
                                 CoreKernel{Kernel::attention, "attention", kAttentionSizes},
                                 CoreKernel{Kernel::gelu, "gelu", kGeluSizes}};
static_assert(kKernelRows.size() == kKernels);

constexpr double kPerVector = 1.0 / 32;  // 32 bytes loaded and stored a cycle (AM020 ch. 4)

double tile_of(const P& p) { return static_cast<double>(p.m) * p.n; }
double rows_of(const P& p) { return static_cast<double>(p.m) * p.k; }
double dequantise(const P& p, const K& t) {
  return p.kernel == Kernel::gemm_int8 ? t.dequantise_cycles.value : 0;
}

double load_parameters(const P& p, const K& /*t*/) {
  return (tile_of(p) * 4 + kParameterBytes) * kPerVector;
}
double move_row_scales(const P& /*p*/, const K& /*t*/) { return kMaxTileRows * 4 * kPerVector; }
double multiply(const P& p, const K& t) {
  const bool is_int8 = p.kernel == Kernel::gemm_int8;
  return rows_of(p) * p.n / (is_int8 ? t.int8_mac_per_cycle.value : t.bf16_mac_per_cycle.value);
}
double finish_bias(const P& p, const K& t) {
  return tile_of(p) * (t.epilogue_cycles.value + dequantise(p, t));
}
double finish_gelu(const P& p, const K& t) {
  return tile_of(p) * (t.gelu_cycles.value + dequantise(p, t));
}
double finish_residual(const P& p, const K& t) {  // A is copied to C first
  return tile_of(p) * (t.epilogue_cycles.value + dequantise(p, t) + 2 * kPerVector);
}
double norm_rows(const P& p, const K& t) { return rows_of(p) * t.layer_norm_cycles.value; }
double norm_quantise(const P& p, const K& t) {
  return rows_of(p) * (t.layer_norm_cycles.value + t.quantise_cycles.value);
}
double gelu_rows(const P& p, const K& t) {  // to floats first
  return rows_of(p) * (t.gelu_cycles.value + 4 * kPerVector);
}
double load_queries(const P& p, const K& /*t*/) {
  return (rows_of(p) * 2 + rows_of(p) * 4 + 2 * kStatisticsBytes) * kPerVector;
}
double attend(const P& p, const K& t) {
  return 2 * rows_of(p) * p.n / t.attention_mac_per_cycle.value +
         tile_of(p) * t.softmax_cycles.value;
}
double finish_attention(const P& p, const K& t) { return rows_of(p) * t.epilogue_cycles.value; }

constexpr std::array kTaskRows{
    CoreTask{Task::load_parameters, "load_parameters", load_parameters},
    CoreTask{Task::load_row_scales, "load_row_scales", move_row_scales},
    CoreTask{Task::multiply, "multiply", multiply},
    CoreTask{Task::finish_bias, "finish_bias", finish_bias},
    CoreTask{Task::finish_gelu, "finish_gelu", finish_gelu},
    CoreTask{Task::finish_residual, "finish_residual", finish_residual},
    CoreTask{Task::norm_rows, "norm_rows", norm_rows},
    CoreTask{Task::norm_quantise, "norm_quantise", norm_quantise},
    CoreTask{Task::store_row_scales, "store_row_scales", move_row_scales},
    CoreTask{Task::gelu_rows, "gelu_rows", gelu_rows},
    CoreTask{Task::load_queries, "load_queries", load_queries},
    CoreTask{Task::attend, "attend", attend},
    CoreTask{Task::finish_attention, "finish_attention", finish_attention}};

template <typename Rows, typename Field>
constexpr bool is_in_order(const Rows& rows, Field field) {
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (static_cast<std::size_t>(rows[i].*field) != i) return false;
  }
  return true;
}
static_assert(is_in_order(kKernelRows, &CoreKernel::kernel));
static_assert(is_in_order(kTaskRows, &CoreTask::task));
static_assert(kTaskRows.back().task == Task::finish_attention);  // the last of the enum

}  // namespace

std::span<const CoreKernel> core_kernels() { return kKernelRows; }
std::span<const CoreTask> core_tasks() { return kTaskRows; }

}  // namespace wnpu::npu
