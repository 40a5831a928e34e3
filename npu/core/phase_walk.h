// Steps of a core in a phase: elements that it takes from its ports and passes on, and the tasks
// that it runs between. Shared by the core's program and its users on the host (check, time model,
// simulator).
#pragma once

#include <cstdint>

#include "npu/core/core_memory.h"
#include "npu/core/phase_header.h"
#include "npu/core/task.h"

namespace wnpu::npu {

// Core: take(port, bytes) waits for the next element of A or B, or until C's buffer is free;
// release(port, bytes) gives it on. `bytes` are those that mean something, 0 where others say so.
// run(task, step): `step` counts what a result is made of.
template <typename Core>
class PhaseWalk {
 public:
  PhaseWalk(Core& core, const PhaseHeader& phase, const CallHeader& call)
      : core_(core), p_(phase), call_(call) {}

  void run() {
    switch (p_.kernel) {
      case Kernel::layer_norm:
      case Kernel::gelu:
        for (std::uint32_t o = 0; o < p_.outer; ++o) run_rows();
        return;
      case Kernel::gemm_bf16:
        for (std::uint32_t o = 0; o < p_.outer; ++o) run_tile(2);
        return;
      case Kernel::gemm_int8:
        core_.take(Port::a, p_.m * 4);
        core_.run(Task::load_row_scales, 0);
        core_.release(Port::a, 0);
        for (std::uint32_t o = 0; o < p_.outer; ++o) run_tile(1);
        return;
      case Kernel::attention:
        for (std::uint32_t o = 0; o < p_.outer; ++o) run_attention();
        return;
    }
  }

 private:
  // A row broadcast carries one element for each core of the row; this core works on its own and
  // lets the others pass.
  template <typename Work>
  void take_own(std::uint32_t bytes, Work work) {
    for (std::uint32_t i = 0; i < call_.columns; ++i) {
      core_.take(Port::a, bytes);
      if (i == call_.column) work();
      core_.release(Port::a, 0);
    }
  }
  void emit(Task task, std::uint32_t bytes) {
    core_.take(Port::c, 0);
    core_.run(task, 0);
    core_.release(Port::c, bytes);
  }

  // One element of rows: C = task(A).
  void run_rows() {
    take_own(p_.m * p_.k * 2, [this] {
      if (p_.quantised_output) {
        emit(Task::norm_quantise, p_.m * p_.k);
        emit(Task::store_row_scales, p_.m * 4);
      } else {
        emit(p_.kernel == Kernel::gelu ? Task::gelu_rows : Task::norm_rows, p_.m * p_.k * 2);
      }
    });
  }

  // One result tile: parameters, the steps along the depth, the epilogue.
  void run_tile(std::uint32_t element) {
    const std::uint32_t out_bytes = p_.m * p_.n * 2;
    core_.take(Port::b, p_.k * p_.n * element);  // an element as long as a tile
    core_.run(Task::load_parameters, 0);
    core_.release(Port::b, 0);
    for (std::uint32_t i = 0; i < p_.inner; ++i) {
      core_.take(Port::a, p_.m * p_.k * element);
      core_.take(Port::b, p_.k * p_.n * element);
      core_.run(Task::multiply, i);
      core_.release(Port::a, 0);
      core_.release(Port::b, 0);
    }
    if (p_.epilogue == Epilogue::bias_residual) {
      take_own(out_bytes, [this, out_bytes] { emit(Task::finish_residual, out_bytes); });
    } else {
      emit(p_.epilogue == Epilogue::bias ? Task::finish_bias : Task::finish_gelu, out_bytes);
    }
  }

  void run_attention() {
    const std::uint32_t query_bytes = p_.m * p_.k * 2;
    take_own(query_bytes, [this] {
      core_.take(Port::c, 0);
      core_.run(Task::load_queries, 0);
    });
    for (std::uint32_t i = 0; i < p_.inner; ++i) {
      core_.take(Port::b, 2 * p_.n * p_.k * 2);
      core_.run(Task::attend, i);
      core_.release(Port::b, 0);
    }
    core_.run(Task::finish_attention, 0);
    core_.release(Port::c, query_bytes);
  }

  Core& core_;
  const PhaseHeader& p_;
  const CallHeader& call_;
};

}  // namespace wnpu::npu
