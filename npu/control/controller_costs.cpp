// Sources: EMU = FIM43-Redeye/xdna-emu, measured on Phoenix with firmware 1.5.5.391: CONTROL =
// docs/archive/findings/2026-05-04-control-path-cycle-calibration.md; DISPATCH =
// docs/superpowers/findings/2026-05-25-npu-controller-dispatch-overhead.md; VARIANCE =
// docs/superpowers/findings/2026-05-27-dispatch-overhead-multirun-structural-variance.md; TOKEN =
// docs/superpowers/findings/2026-07-08-tct-token-transport-hw-validation.md.
#include "npu/control/controller_costs.h"

namespace wnpu::npu {
namespace {

constexpr Rate measured(double value, std::string_view source) {
  return {value, Provenance::measured, source};
}

constexpr Rate kWrite = measured(100.5, "EMU CONTROL: write32");
constexpr Rate kMasked = measured(210, "EMU CONTROL: maskwrite");
// 203 for a block of eight words.
constexpr Rate kBlockWord = measured(12.8, "EMU CONTROL: blockwrite of 8 words less a write32");
// 2,870 from task to task of one channel, of which 313 are its writes.
constexpr Rate kPush = measured(2557, "EMU DISPATCH: S2MM, from task to task, less the writes");
constexpr Rate kQueuedPush =
    measured(520, "EMU VARIANCE: above the writes, while the queue has room");
constexpr Rate kToken{500, Provenance::assumed, "EMU TOKEN: hundreds to thousands of cycles"};

constexpr ControllerCosts kPhoenix{"phoenix", kWrite, kMasked, kBlockWord, kPush, kToken};
constexpr ControllerCosts kPhoenixQueued{"phoenix-queued", kWrite,      kMasked,
                                         kBlockWord,       kQueuedPush, kToken};

}  // namespace

const ControllerCosts& phoenix_controller() { return kPhoenix; }
const ControllerCosts& phoenix_queued_controller() { return kPhoenixQueued; }

double cycles_of(const Operation& operation, const ControllerCosts& costs) {
  const double write = costs.write.value;
  if (const auto* descriptor = std::get_if<WriteDescriptor>(&operation)) {
    return write + dma_registers(descriptor->tile.kind).descriptor_words * costs.block_word.value;
  }
  if (const auto* block = std::get_if<WriteBlock>(&operation)) {
    return write + static_cast<double>(block->words.size()) * costs.block_word.value;
  }
  const bool is_masked = std::holds_alternative<RouteTokens>(operation) ||
                         std::holds_alternative<WriteMasked>(operation);
  if (is_masked) return costs.masked_write.value;
  if (std::holds_alternative<PushTask>(operation)) return write + costs.push.value;
  return write;
}

}  // namespace wnpu::npu
