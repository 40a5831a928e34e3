#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "npu/design/kernel_table.h"
#include "npu/kernel/issue_limits.h"
#include "npu/kernel/op_counts.h"
#include "npu/kernel/tile_kernels.h"

namespace wnpu::npu {
namespace {

using kernel::issue_bound;
using kernel::IssueBound;
using kernel::OpCounts;

constexpr std::size_t kResultSide = 64;  // rows and columns of a result
constexpr std::size_t kInt8Depth = 128;  // of an int8 tile
constexpr std::size_t kRows = 4;         // of a LayerNorm's element, base
constexpr std::size_t kWidth = 512;
// Attention as in layer_abi.h: a wave's queries, a block's keys, a head, a window's blocks.
constexpr std::size_t kWaveQueries = 48;
constexpr std::size_t kKeyRows = 32;
constexpr std::size_t kHeadColumns = 64;
constexpr std::size_t kBlocks = 48;

template <typename F>
OpCounts counts_of(F call) {
  kernel::op_counts() = {};
  call(kernel::counting_kernels());
  return std::exchange(kernel::op_counts(), {});
}

std::string count_text(const std::string& what, const OpCounts& c) {
  const IssueBound bound = issue_bound(c);
  const auto part = [](std::uint64_t n, const char* name) { return std::to_string(n) + name; };
  return what + ": " + part(c.mac, " products, ") + part(c.alu, " ALU, ") +
         part(c.shuffle, " shuffles, ") + part(c.load, " loads, ") + part(c.store, " stores, ") +
         part(c.upshift, " UPS, ") + part(c.downshift, " SRS, ") + part(c.scalar, " scalar; ") +
         std::to_string(std::llround(bound.cycles)) + " cycles by " + std::string(bound.unit);
}

// Whole numbers from -4 to 4, the same everywhere.
std::vector<bfloat16> small_numbers(std::size_t n, std::uint32_t seed) {
  std::vector<bfloat16> values(n);
  for (bfloat16& v : values) {
    seed = seed * 1664525u + 1013904223u;  // Numerical Recipes' generator
    v = to_bfloat16(static_cast<float>(static_cast<int>(seed >> 16) % 9 - 4) / 4.0f);
  }
  return values;
}

class CountedTable {
 public:
  CountedTable() {
    texts_.reserve(kMostTexts);
    table_.name = "counted";
    table_.rests_on =
        "a perfect schedule of our kernels' counted instructions: a bound from below, no loop, "
        "latency, spill or bank conflict";
    table_.call_cycles = {40, Provenance::assumed, "locks, loop and branch of one call"};
    count_products();
    count_epilogues();
    count_rows();
    count_attention();
  }
  const KernelTable& table() const { return table_; }

 private:
  static constexpr std::size_t kMostTexts = 16;

  Rate rate(double value, const std::string& what, const OpCounts& counts) {
    texts_.push_back(count_text(what, counts));  // never more than reserved: views stay good
    return {value, Provenance::counted, texts_.back()};
  }
  Rate a_cycle(double work, const std::string& what, const OpCounts& counts) {
    return rate(work / issue_bound(counts).cycles, what, counts);
  }
  Rate cycles_each(double elements, const std::string& what, const OpCounts& counts) {
    return rate(issue_bound(counts).cycles / elements, what, counts);
  }

  void count_products() {
    std::vector<float> c(kResultSide * kResultSide);
    const std::vector<bfloat16> ab(kResultSide * kResultSide);
    table_.bf16_mac_per_cycle = a_cycle(
        kResultSide * kResultSide * kResultSide, "gemm_bf16 64x64x64",
        counts_of([&](const auto& k) {
          k.gemm_bf16({kResultSide, kResultSide, kResultSide}, ab.data(), ab.data(), c.data());
        }));
    std::vector<std::int32_t> ci(kResultSide * kResultSide);
    const std::vector<std::int8_t> abi(kResultSide * kInt8Depth);
    table_.int8_mac_per_cycle = a_cycle(
        kResultSide * kInt8Depth * kResultSide, "gemm_int8 64x128x64",
        counts_of([&](const auto& k) {
          k.gemm_int8({kResultSide, kInt8Depth, kResultSide}, abi.data(), abi.data(), ci.data());
        }));
  }

  void count_epilogues() {
    constexpr kernel::TileShape kShape{kResultSide, kResultSide};
    constexpr auto kRounding = Rounding::nearest_even;
    constexpr double kElements = kResultSide * kResultSide;
    std::vector<float> c(kResultSide * kResultSide), bias(kResultSide);
    std::vector<bfloat16> y(kResultSide * kResultSide);
    const std::vector<std::int32_t> ci(kResultSide * kResultSide);
    table_.gelu_cycles =
        cycles_each(kElements, "bias_gelu 64x64", counts_of([&](const auto& k) {
                      k.bias_gelu(kShape, c.data(), bias.data(), y.data(), kRounding);
                    }));
    table_.epilogue_cycles =
        cycles_each(kElements, "bias_residual 64x64", counts_of([&](const auto& k) {
                      k.bias_residual_bf16(kShape, c.data(), bias.data(), y.data(), kRounding);
                    }));
    table_.dequantise_cycles =
        cycles_each(kElements, "dequantise 64x64", counts_of([&](const auto& k) {
                      k.dequantise(kShape, ci.data(), bias.data(), bias.data(), c.data());
                    }));
  }

  void count_rows() {
    constexpr kernel::RowsShape kShape{kRows, kWidth};
    constexpr double kElements = kRows * kWidth;
    const std::vector<bfloat16> x(kRows * kWidth);
    std::vector<bfloat16> y(kRows * kWidth);
    std::vector<std::int8_t> q(kRows * kWidth);
    std::vector<float> scale(kRows);
    table_.layer_norm_cycles =
        cycles_each(kElements, "layer_norm 4x512", counts_of([&](const auto& k) {
                      k.layer_norm_bf16(kShape, x.data(), y.data(), Rounding::nearest_even);
                    }));
    table_.quantise_cycles = cycles_each(kElements, "quantise 4x512", counts_of([&](const auto& k) {
                                           k.quantise(kShape, x.data(), q.data(), scale.data());
                                         }));
  }

  // A head of 48 blocks, whose first raises every reference; the divisions at its end are charged
  // to the blocks as well.
  void count_attention() {
    constexpr kernel::AttentionShape kShape{kWaveQueries, kKeyRows, kHeadColumns};
    std::vector<float> reference(kernel::statistics_size(kShape));
    std::vector<float> sum(reference.size()), acc(kWaveQueries * kHeadColumns);
    std::vector<bfloat16> weights(kernel::weights_size(kShape)), y(acc.size());
    const kernel::AttentionSums sums{reference.data(), sum.data(), acc.data(), weights.data()};
    kernel::array_kernels().attention_start(kShape, sums);
    const auto q = small_numbers(kWaveQueries * kHeadColumns, 1);
    const OpCounts counts = counts_of([&](const kernel::TileKernels& k) {
      for (std::size_t block = 0; block < kBlocks; ++block) {
        const auto kv =
            small_numbers(kKeyRows * kHeadColumns, static_cast<std::uint32_t>(block) + 2);
        k.attention_step(kShape, {q.data(), kv.data(), kv.data(), kKeyRows}, sums,
                         Rounding::nearest_even);
      }
      k.attention_finish(kShape, sums, y.data(), Rounding::nearest_even);
    });
    constexpr double kScores = static_cast<double>(kWaveQueries * kKeyRows * kBlocks);
    constexpr double kProducts = 2.0 * kHeadColumns * kScores;
    constexpr double kMacsAnInstruction = 128;  // AM020 ch. 4, table 7
    table_.attention_mac_per_cycle = {kMacsAnInstruction, Provenance::counted,
                                      "one instruction for 4x8x4 products, AM020 ch. 4 table 7"};
    table_.softmax_cycles =
        rate((issue_bound(counts).cycles - kProducts / kMacsAnInstruction) / kScores,
             "attention, 48 blocks of 48x32x64, all but its products at 128 MAC a cycle", counts);
  }

  std::vector<std::string> texts_;
  KernelTable table_;
};

}  // namespace

const KernelTable& counted_kernel_table() {
  static const CountedTable kTable;
  return kTable.table();
}

}  // namespace wnpu::npu
