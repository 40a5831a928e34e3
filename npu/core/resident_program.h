// The program that every core runs for as long as the array is configured: wait for the headers of
// a call, do its phases, wait for the next.
#pragma once

#include <cstddef>
#include <cstdint>

#include "npu/core/core_tasks.h"
#include "npu/core/phase_walk.h"

namespace wnpu::npu {

// Locks: acquire(lock) waits until a lock of the core's tile is 1 or more and takes 1 off;
// release(lock) adds 1. Tasks: as CoreTasks.
template <typename Locks, typename Tasks>
class ResidentProgram {
 public:
  ResidentProgram(std::byte* memory, Locks& locks, Tasks tasks)
      : memory_(memory), locks_(locks), tasks_(tasks) {}

  // The slots of the ports go on from call to call, as the DMA's descriptors do.
  void run_call() {
    locks_.acquire(kHeaderLock);
    const auto* const words = reinterpret_cast<const std::uint32_t*>(memory_ + kHeaders);
    const CallHeader call = decode_call(words[0]);
    for (std::uint32_t i = 0; i < call.phases; ++i) {
      phase_ = decode_phase(words + header_at(i));
      PhaseWalk<ResidentProgram>(*this, phase_, call).run();
    }
  }

  void take(Port port, std::uint32_t /*bytes*/) {
    locks_.acquire(port == Port::c ? free_lock(port) : full_lock(port));
  }
  void release(Port port, std::uint32_t /*bytes*/) {
    locks_.release(port == Port::c ? full_lock(port) : free_lock(port));
    if (port == Port::a) slots_.a = 1 - slots_.a;
    if (port == Port::b) slots_.b = 1 - slots_.b;
  }
  void run(Task task, std::uint32_t step) { tasks_.run(phase_, task, step, slots_); }

 private:
  std::byte* memory_;
  Locks& locks_;
  Tasks tasks_;
  PhaseHeader phase_;
  Slots slots_;
};

}  // namespace wnpu::npu
