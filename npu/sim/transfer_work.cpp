#include "npu/sim/transfer_work.h"

#include "npu/sim/simulator.h"

namespace wnpu::npu {

TransferWork::TransferWork(const Design& design)
    : design_(design), channels_(design.channels.size()), tokens_(design.n_tokens) {
  for (const Lock& lock : design.locks) locks_.push_back({lock.initial, {}});
}

const Transfer* TransferWork::head(std::size_t channel) const {
  const auto& queue = design_.transfers[channel];
  const std::size_t next = channels_[channel].transfer;
  return next < queue.size() ? &queue[next] : nullptr;
}

Waiters* TransferWork::begin(std::size_t channel, Piece& piece) {
  const Transfer* t = head(channel);
  if (t == nullptr) return &finished_;
  const bool is_first = channels_[channel].element == 0;
  if (t->wait_token != kNone && is_first) {
    Counter& token = tokens_[t->wait_token];
    if (token.value < static_cast<std::int64_t>(t->wait_count)) return &token.waiters;
  }
  if (t->acquire.lock != kNone && (is_first || t->acquire.mode == LockMode::each)) {
    Counter& lock = locks_[t->acquire.lock];
    if (lock.value < t->acquire.count) return &lock.waiters;
    lock.value -= t->acquire.count;
  }
  const bool has_waited = t->wait_token != kNone || channels_[channel].transfer == 0;
  piece = {t->stream_bytes(), 0, t->link, t->access.bytes(), is_first && has_waited};
  return nullptr;
}

bool TransferWork::end(std::size_t channel) {
  State& state = channels_[channel];
  const Transfer& t = *head(channel);
  const bool is_last = state.element + 1 == t.elements;
  if (t.signal_token != kNone) {
    ++tokens_[t.signal_token].value;
    wake(tokens_[t.signal_token].waiters);
  }
  if (t.release.lock != kNone && (t.release.mode != LockMode::once || is_last)) release(t.release);
  ++state.element;
  if (is_last) {
    ++state.transfer;
    state.element = 0;
  }
  return false;
}

void TransferWork::release(const LockUse& use) {
  Counter& lock = locks_[use.lock];
  lock.value += use.count;
  if (lock.value > kMaxLockValue) {
    const Lock& declared = design_.locks[use.lock];
    throw SimulationError(design_.name + ": " + tile_name(declared.tile) + ": lock " +
                          declared.name + ": expected at most " + std::to_string(kMaxLockValue) +
                          ", found " + std::to_string(lock.value));
  }
  wake(lock.waiters);
}

std::string TransferWork::unfinished() const {
  std::string text;
  for (std::size_t i = 0; i < channels_.size(); ++i) {
    const Transfer* transfer = head(i);
    if (transfer == nullptr || design_.channels[i].direction != Direction::mm2s) continue;
    text += tile_name(design_.channels[i].tile) + " has not sent element " +
            std::to_string(channels_[i].element) + " of " + std::to_string(transfer->elements) +
            " (transfer " + std::to_string(channels_[i].transfer) + ") on link " +
            design_.links[transfer->link].name + "; ";
  }
  return text;
}

}  // namespace wnpu::npu
