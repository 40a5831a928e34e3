// Sources: TAKA = arXiv 2512.13282 (GEMM on Phoenix and Krackan); SIL =
// jdominick05/ryzen-ai-xdna1-quantization docs/SILICON.md (Ryzen 7 8700G); WX =
// drakosha/whisper-xdna README (Hawk Point); AM020 = AMD AM020 (AIE-ML architecture); EMU =
// FIM43-Redeye/xdna-emu docs/dma-reference.md; XD = amd/xdna-driver drivers/accel/amdxdna
// npu{1,4}_regs.c; XAUD = cross-audit of SIL against tnzr.org. [A] marks an assumption of ours.
#include "npu/target.h"

#include <array>
#include <stdexcept>

namespace wnpu::npu {
namespace {

// EMU, SIL 1.2-1.4. Lengths: core 2^14-1 words, mem tile 2^17-1 words, shim 32 bit of words.
// Strides: core 2^13 words, mem tile 2^17 words, shim 2^20 words (4 MiB, SIL 2.6).
constexpr DmaLimits kCoreDma{2, 2, 16, 16, 3, ((1u << 14) - 1) * 4ull, (1u << 13) * 4ull};
constexpr DmaLimits kMemDma{6, 6, 48, 64, 4, ((1u << 17) - 1) * 4ull, (1u << 17) * 4ull};
constexpr DmaLimits kShimDma{2, 2, 16, 16, 3, 0xffffffffull * 4ull, (1u << 20) * 4ull};

constexpr std::size_t kKb = 1024;
// AM020 ch. 1-2: 64 KB data and 16 KB program a core, 512 KB a mem tile. TAKA 3.1: 4x4 of the 4x5
// cores are usable, as column 0 has no shim; 4x8 on XDNA2.
constexpr Target kNpu1{"npu1",    "AMD XDNA1 (Phoenix, Hawk Point)",
                       4,         4,
                       64 * kKb,  16 * kKb,
                       512 * kKb, kCoreDma,
                       kMemDma,   kShimDma,
                       32};
constexpr Target kNpu4{"npu4",    "AMD XDNA2 (Strix, Krackan)",
                       8,         4,
                       64 * kKb,  16 * kKb,
                       512 * kKb, kCoreDma,
                       kMemDma,   kShimDma,
                       64};

struct Clock {
  std::string_view name;
  const Target* target;
  double ghz, read_gbs, write_gbs, launch_us, list_launch_us;
};

// Clocks: TAKA (1.0 GHz, 15 GB/s), XD DPM table (1.6 GHz), SIL 1.7 (1.80 GHz, 25.9 GB/s read beside
// 13 GB/s write: hence write = read / 2 everywhere), TAKA for Krackan (1.8 GHz, 50 GB/s).
// Launches: SIL 2.5 C++ XRT 108 us; WX a run in a list costs 24 % less; amd/IRON#55 52 us on XDNA2.
constexpr std::array kClocks{
    Clock{"phoenix-1.0", &kNpu1, 1.0, 15, 7.5, 108, 82},
    Clock{"hawk-1.6", &kNpu1, 1.6, 25, 12.5, 108, 82},
    Clock{"phoenix-8700g", &kNpu1, 1.8, 25, 12.5, 108, 82},
    Clock{"strix-1.8", &kNpu4, 1.8, 50, 25, 52, 40},
};

// GEMM: TAKA table 2 (99.8 bf16, 146 int8 to int32), XAUD C.2 (stock mm.cc: 48.3 and 100.6).
// Attention, softmax, LayerNorm, GELU per element: [A], bounds worked out from the instruction
// set; nobody has published them. open-source: rates that WX measured on whole GEMMs (1.5 TFLOPS at
// 1.6 GHz = 29.3 MAC a cycle; int8 x1.33) and on its fused attention (20 cycles a score all in,
// of which 128 MAC at 48 a cycle); its LayerNorm and GELU are taken as stock.
constexpr std::array kNpu1Kernels{
    KernelTable{"tuned", 99.8, 146, 80, 1.5, 2, 2, 0.25, 1.0, 40},
    KernelTable{"peano", 64, 120, 48, 2.5, 3, 3, 0.5, 1.5, 40},
    KernelTable{"stock", 48.3, 100.6, 36, 5, 4, 4, 1.0, 2.0, 40},
    KernelTable{"open-source", 29.3, 39, 48, 17.3, 4, 4, 1.0, 2.0, 40},
};
// TAKA on XDNA2: 14.71 TFLOPS bf16 and 38.05 TOPS int8 on 32 cores at 1.8 GHz = 127.7 and 330 MAC
// a cycle. The weaker tables keep npu1's ratios; exp2 is an instruction of AIE2P, so softmax
// halves. [A] all but the first two numbers.
constexpr std::array kNpu4Kernels{
    KernelTable{"tuned", 127.7, 330, 102, 0.8, 2, 2, 0.25, 1.0, 40},
    KernelTable{"peano", 82, 211, 61, 1.3, 3, 3, 0.5, 1.5, 40},
    KernelTable{"stock", 62, 160, 46, 2.5, 4, 4, 1.0, 2.0, 40},
    KernelTable{"open-source", 37, 49, 61, 8.6, 4, 4, 1.0, 2.0, 40},
};

constexpr std::array<std::string_view, kClocks.size()> kClockNames{
    kClocks[0].name, kClocks[1].name, kClocks[2].name, kClocks[3].name};
constexpr std::array<std::string_view, kNpu1Kernels.size()> kTableNames{
    kNpu1Kernels[0].name, kNpu1Kernels[1].name, kNpu1Kernels[2].name, kNpu1Kernels[3].name};

// [A] DDR latency as seen by a shim DMA; a phase's headers and descriptors are written by the
// instruction processor while the phase before still runs.
constexpr double kDdrLatencyNs = 400;
constexpr double kPhaseUs = 1.0;

std::string known_presets() {
  std::string text = "expected CLOCK/KERNELS with CLOCK one of";
  for (const auto name : kClockNames) text += " " + std::string(name);
  text += " and KERNELS one of";
  for (const auto name : kTableNames) text += " " + std::string(name);
  return text;
}

}  // namespace

const Target& npu1() { return kNpu1; }
const Target& npu4() { return kNpu4; }

const Target* find_target(std::string_view name) {
  if (name == kNpu1.name) return &kNpu1;
  if (name == kNpu4.name) return &kNpu4;
  return nullptr;
}

TimePreset find_preset(std::string_view name) {
  const std::size_t slash = name.find('/');
  const std::string_view clock_name = name.substr(0, slash);
  const std::string_view table_name =
      slash == std::string_view::npos ? std::string_view("peano") : name.substr(slash + 1);
  for (const Clock& clock : kClocks) {
    if (clock.name != clock_name) continue;
    for (const KernelTable& table : clock.target == &kNpu1 ? kNpu1Kernels : kNpu4Kernels) {
      if (table.name != table_name) continue;
      return {std::string(clock_name) + "/" + std::string(table_name),
              clock.target,
              clock.ghz,
              clock.read_gbs,
              clock.write_gbs,
              kDdrLatencyNs,
              kPhaseUs,
              clock.launch_us,
              clock.list_launch_us,
              table};
    }
  }
  throw std::invalid_argument("time preset: " + known_presets() + "; found \"" + std::string(name) +
                              "\"");
}

std::span<const std::string_view> clock_preset_names() { return kClockNames; }
std::span<const std::string_view> kernel_table_names() { return kTableNames; }

}  // namespace wnpu::npu
