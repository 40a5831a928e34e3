// All of FIM43-Redeye/xdna-emu, measured on a Phoenix with firmware 1.5.5.391. Registers and
// blocks: docs/archive/findings/2026-05-04-control-path-cycle-calibration.md; tasks of an idle
// channel: docs/superpowers/findings/2026-05-25-npu-controller-dispatch-overhead.md; of one whose
// queue has room: 2026-05-27-dispatch-overhead-multirun-structural-variance.md there; tokens:
// 2026-07-08-tct-token-transport-hw-validation.md there.
#include "npu/control/controller_costs.h"

namespace wnpu::npu {
namespace {

constexpr Rate kWrite = measured_rate(100.5, "xdna-emu, Phoenix: write32");
constexpr Rate kMasked = measured_rate(210, "xdna-emu, Phoenix: maskwrite");
// 203 for a block of eight words.
constexpr Rate kBlockWord =
    measured_rate(12.8, "xdna-emu, Phoenix: a block of 8 words less a write32");
// 2,870 from task to task of one channel, of which 313 are its writes.
constexpr Rate kPush =
    measured_rate(2557, "xdna-emu, Phoenix: from task to task of an idle channel, less the writes");
constexpr Rate kQueuedPush =
    measured_rate(520, "xdna-emu, Phoenix: above the writes, while the queue has room");
constexpr Rate kToken{500, Provenance::assumed, "xdna-emu saw hundreds to thousands"};

constexpr ControllerCosts kPhoenix{"phoenix", kWrite, kMasked, kBlockWord, kPush, kToken};
constexpr ControllerCosts kPhoenixQueued{"phoenix-queued", kWrite,      kMasked,
                                         kBlockWord,       kQueuedPush, kToken};

}  // namespace

const ControllerCosts& phoenix_controller() { return kPhoenix; }
const ControllerCosts& phoenix_queued_controller() { return kPhoenixQueued; }

const ControllerCosts& controller_of(const HardwareModel& preset) {
  return preset.controller == nullptr ? kPhoenix : *preset.controller;
}

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
