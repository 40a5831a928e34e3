// Sources: TAKA = arXiv 2512.13282 (GEMM on Phoenix and Krackan); SIL =
// jdominick05/ryzen-ai-xdna1-quantization docs/SILICON.md (Ryzen 7 8700G); WX =
// drakosha/whisper-xdna README (Hawk Point); AM020 = AMD AM020 (AIE-ML architecture); EMU =
// FIM43-Redeye/xdna-emu docs/dma-reference.md; XD = amd/xdna-driver drivers/accel/amdxdna
// npu{1,4}_regs.c; XAUD = cross-audit of SIL against tnzr.org; MLIR = mlir-aie AIETargetModel.h.
// [A] marks an assumption of ours.
#include "npu/design/target.h"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <vector>

namespace wnpu::npu {
namespace {

// EMU, SIL 1.2-1.4. Lengths: core 2^14-1 words, mem tile 2^17-1 words, shim 32 bit of words.
// Strides: core 2^13 words, mem tile 2^17 words, shim 2^20 words (4 MiB, SIL 2.6). Wraps: 10 bits
// in shim and mem tiles, 8 in cores (MLIR verifyStridesWraps: "exceeds the [0:1023] range").
// Mem-tile channels 4 and 5 of either direction reach their own tile's memory alone (AM020 ch. 5,
// table 12; MLIR: getMaxChannelNumForAdjacentMemTile); cores and shims are given no neighbour's.
// Generations: mlir-aie lib/Targets/AIETargetNPU.cpp, devGen.
constexpr DmaLimits kCoreDma{2, 2, 0, 16, 16, 3, ((1u << 14) - 1) * 4ull, (1u << 13) * 4ull, 255};
constexpr DmaLimits kMemDma{6, 6, 4, 48, 64, 4, ((1u << 17) - 1) * 4ull, (1u << 17) * 4ull, 1023};
constexpr DmaLimits kShimDma{2, 2, 0, 16, 16, 3, 0xffffffffull * 4ull, (1u << 20) * 4ull, 1023};

constexpr std::size_t kKb = 1024;
// AM020 ch. 1-2: 64 KB data and 16 KB program a core, 512 KB a mem tile. TAKA 3.1: 4x4 of the 4x5
// cores are usable, as column 0 has no shim; on XDNA2 4x8, two halves of 4x4.
constexpr Target kNpu1{"npu1",    "AMD XDNA1 (Phoenix, Hawk Point)",
                       4,         4,
                       64 * kKb,  16 * kKb,
                       512 * kKb, kCoreDma,
                       kMemDma,   kShimDma,
                       32,        3};
constexpr Target kNpu4{"npu4",    "AMD XDNA2 (Strix, Strix Halo, Krackan)",
                       4,         8,
                       64 * kKb,  16 * kKb,
                       512 * kKb, kCoreDma,
                       kMemDma,   kShimDma,
                       64,        4,
                       2};

struct ArrayClock {
  std::string_view name;
  const Target* target;
  double ghz, read_gbs, write_gbs, launch_us, list_launch_us;
};

// Clocks: TAKA (1.0 GHz, 15 GB/s), XD DPM table (1.6 GHz), SIL 1.7 (1.80 GHz, 25.9 GB/s read beside
// 13 GB/s write: hence write = read / 2 everywhere). [A] hawk-1.6 has phoenix-8700g's memory: no
// source gives Hawk Point's. strix-1.8: XD npu4_regs.c's fastest, TAKA (Krackan: 1.8 GHz, 50 GB/s).
// Launches: SIL 2.5 C++ XRT 108 us; MA#3793 by XAUD, 64 us on XDNA2; WX a run in a list costs 24 %
// less.
constexpr std::array kClocks{
    ArrayClock{"phoenix-1.0", &kNpu1, 1.0, 15, 7.5, 108, 82},
    ArrayClock{"hawk-1.6", &kNpu1, 1.6, 25, 12.5, 108, 82},
    ArrayClock{"phoenix-8700g", &kNpu1, 1.8, 25, 12.5, 108, 82},
    ArrayClock{"strix-1.8", &kNpu4, 1.8, 50, 25, 64, 49},
};

constexpr Rate counted(double value, std::string_view source) {
  return {value, Provenance::counted, source};
}
constexpr Rate assumed(double value, std::string_view source) {
  return {value, Provenance::assumed, source};
}

constexpr std::string_view kGoal = "what our kernels aim at; none was run on a core";
constexpr std::string_view kGoodWork = "good work on the aie_api kernels; nobody has published it";
constexpr std::string_view kLoadStore = "issue limits of loads and stores, no stalls";
constexpr Rate kCall = assumed(40, "locks, loop and branch of one call");
// int32 to float, row scale times column scale, times the value: 31 product slots for 16 lanes
// (counted_kernels.cpp gives the same).
constexpr Rate kDequantise =
    counted(1.94, "npu/kernel dequantise: 31 products, as aie_api makes them, for 16 elements");

constexpr KernelTable kGoalTable{
    .name = "goal",
    .rests_on = "kernels reach what we aim at, which nobody has shown on this array",
    .bf16_mac_per_cycle = assumed(64, kGoal),
    .int8_mac_per_cycle = assumed(120, kGoal),
    .attention_mac_per_cycle = assumed(48, kGoal),
    .softmax_cycles = assumed(2.5, kGoal),
    .layer_norm_cycles = assumed(3, kGoal),
    .gelu_cycles = assumed(3, kGoal),
    .epilogue_cycles = assumed(0.5, kGoal),
    .quantise_cycles = assumed(1.5, kGoal),
    .dequantise_cycles = kDequantise,
    .call_cycles = kCall};

constexpr std::string_view kXaud = "XAUD C.2: mm.cc of mlir-aie, compiled by Peano";
// A whole array's, which is less than a kernel's of its own (XAUD C.2: 48.3).
constexpr std::string_view kSilArray =
    "SIL 2.4: 2.07 TFLOPS of 16 cores at 1.8 GHz, mm.cc of mlir-aie";
constexpr KernelTable kPublishedTable{
    .name = "published",
    .rests_on =
        "products as fast as published ones of the open compiler; softmax, LayerNorm and GELU "
        "are guesses at good work",
    .bf16_mac_per_cycle = measured_rate(35.9, kSilArray),
    .int8_mac_per_cycle = measured_rate(100.6, kXaud),
    .attention_mac_per_cycle = assumed(35.9, "as the product"),
    .softmax_cycles = assumed(8, kGoodWork),
    .layer_norm_cycles = assumed(5, kGoodWork),
    .gelu_cycles = assumed(6, kGoodWork),
    .epilogue_cycles = assumed(0.5, kLoadStore),
    .quantise_cycles = assumed(1.5, kGoodWork),
    .dequantise_cycles = kDequantise,
    .call_cycles = kCall};

constexpr std::string_view kWx = "WX at 1.6 GHz on whole GEMMs: 1.5 TFLOPS bf16, int8 x1.33";
constexpr std::string_view kWxAttention = "WX, fused attention: 20 cycles a score all in";
constexpr KernelTable kOpenSourceTable{
    .name = "open-source",
    .rests_on = "kernels no faster than those of whisper-xdna, measured on Hawk Point",
    .bf16_mac_per_cycle = measured_rate(29.3, kWx),
    .int8_mac_per_cycle = measured_rate(39, kWx),
    .attention_mac_per_cycle = assumed(35.9, "128 MAC of a score as the published product"),
    .softmax_cycles = measured_rate(16.4, kWxAttention),
    .layer_norm_cycles = assumed(4, kGoodWork),
    .gelu_cycles = assumed(4, kGoodWork),
    .epilogue_cycles = assumed(1, kLoadStore),
    .quantise_cycles = assumed(2, kGoodWork),
    .dequantise_cycles = kDequantise,
    .call_cycles = kCall};

// For products alone: the best that was published, of AMD's own compiler. Its other rates are bare
// issue limits, which no kernel reaches.
constexpr std::string_view kTaka = "TAKA table 2, Phoenix: the fastest published";
// Our epilogue wants int32. To int8 the fastest there makes 212.5.
constexpr std::string_view kTakaInt32 = "TAKA table 2, Phoenix: int8 to int32";
constexpr std::string_view kIssue = "issue limits alone: loads, look-ups and stores of an element";
constexpr KernelTable kGemmTable{.name = "gemm",
                                 .rests_on =
                                     "products as fast as the fastest published; all else at issue "
                                     "limits, which are not reachable",
                                 .bf16_mac_per_cycle = measured_rate(99.8, kTaka),
                                 .int8_mac_per_cycle = measured_rate(146, kTakaInt32),
                                 .attention_mac_per_cycle = assumed(80, kIssue),
                                 .softmax_cycles = counted(1.5, kIssue),
                                 .layer_norm_cycles = counted(2, kIssue),
                                 .gelu_cycles = counted(2, kIssue),
                                 .epilogue_cycles = counted(0.25, kIssue),
                                 .quantise_cycles = counted(1, kIssue),
                                 .dequantise_cycles = kDequantise,
                                 .call_cycles = kCall};

constexpr std::array kTables{kGoalTable, kPublishedTable, kOpenSourceTable, kGemmTable};

// XDNA2's fastest products multiply blocks of 8x8x8 in bfp16, which ours do not.
constexpr std::string_view kTakaBfp16 = "TAKA, Krackan: bf16 as bfp16, not our kernels'";

// Table for npu4. Nobody has published how fast AIE2P, which pads them, makes 4x8x4 products; as
// many cycles as on AIE2 is a guess.
KernelTable npu4_table(KernelTable table) {
  table.rests_on = "npu1's cycles, which nobody has shown on AIE2P: its table says more";
  for (Rate KernelTable::*rate :
       {&KernelTable::bf16_mac_per_cycle, &KernelTable::int8_mac_per_cycle,
        &KernelTable::attention_mac_per_cycle, &KernelTable::softmax_cycles,
        &KernelTable::layer_norm_cycles, &KernelTable::gelu_cycles, &KernelTable::epilogue_cycles,
        &KernelTable::quantise_cycles, &KernelTable::dequantise_cycles,
        &KernelTable::call_cycles}) {
    (table.*rate).provenance = Provenance::assumed;
  }
  if (table.name == kGemmTable.name) table.bf16_mac_per_cycle = measured_rate(158, kTakaBfp16);
  return table;
}

const std::vector<KernelTable>& all_tables() {
  static const std::vector<KernelTable> kAll = [] {
    std::vector<KernelTable> tables(kTables.begin(), kTables.end());
    tables.push_back(counted_kernel_table());
    return tables;
  }();
  return kAll;
}

// Counts only when it is asked for.
const KernelTable* find_table(std::string_view name) {
  const auto* const typed = std::ranges::find(kTables, name, &KernelTable::name);
  if (typed != kTables.end()) return typed;
  const KernelTable& counted = counted_kernel_table();
  return name == counted.name ? &counted : nullptr;
}

constexpr std::array<std::string_view, kClocks.size()> kClockNames{
    kClocks[0].name, kClocks[1].name, kClocks[2].name, kClocks[3].name};

// [A] As seen by a shim DMA.
constexpr double kDdrLatencyNs = 400;

std::string known_presets() {
  std::string text = "expected CLOCK/KERNELS with CLOCK one of";
  for (const auto name : kClockNames) text += " " + std::string(name);
  text += " and KERNELS one of";
  for (const KernelTable& table : all_tables()) text += " " + std::string(table.name);
  return text;
}

}  // namespace

std::string_view provenance_name(Provenance provenance) {
  switch (provenance) {
    case Provenance::measured:
      return "measured";
    case Provenance::counted:
      return "counted";
    case Provenance::assumed:
      return "assumed";
    case Provenance::simulated:
      return "simulated";
  }
  return "assumed";
}

const Target& npu1() { return kNpu1; }
const Target& npu4() { return kNpu4; }

const Target* find_target(std::string_view name) {
  if (name == kNpu1.name) return &kNpu1;
  if (name == kNpu4.name) return &kNpu4;
  return nullptr;
}

HardwareModel find_preset(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view clock_name = name.substr(0, slash);
  const std::string_view table_name =
      slash == std::string_view::npos ? kPublishedTable.name : name.substr(slash + 1);
  const auto clock = std::ranges::find(kClocks, clock_name, &ArrayClock::name);
  const KernelTable* const table = find_table(table_name);
  if (clock == kClocks.end() || table == nullptr) {
    throw std::invalid_argument("time preset: " + known_presets() + "; found \"" +
                                std::string(name) + "\"");
  }
  return {std::string(clock_name) + "/" + std::string(table_name),
          clock->target,
          clock->ghz,
          clock->read_gbs,
          clock->write_gbs,
          kDdrLatencyNs,
          clock->launch_us,
          clock->list_launch_us,
          clock->target == &kNpu4 ? npu4_table(*table) : *table};
}

std::string_view usual_preset(const Target& target) {
  return &target == &kNpu4 ? "strix-1.8/published" : kDefaultPreset;
}

std::span<const std::string_view> clock_preset_names() { return kClockNames; }
std::span<const KernelTable> kernel_tables() { return all_tables(); }

}  // namespace wnpu::npu
