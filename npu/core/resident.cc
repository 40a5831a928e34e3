// main() of every core. Compiled by a core's compiler alone, with resident_program.h and the tile
// kernels; here a stand-in of its declarations is compiled against it (tests/npu/core). No such
// compiler was at hand: it has never run on a core.
#include "npu/core/resident_program.h"
#include "npu/kernel/target_table.h"

namespace {

using namespace wnpu::npu;

struct CoreKernels {
  static constexpr const kernel::TileKernels& table() { return kTable; }
  static constexpr kernel::TileKernels kTable = kernel::tile_kernels("core");
};

// Names and arguments of the intrinsics: llvm-aie aiev2_locks.h; they keep the order of accesses to
// memory (llvm-aie, its tests of lock intrinsics). A core sees its own tile's locks from 48 on,
// after those of three neighbours (mlir-aie AIETargetModel::getLockLocalBaseIndex).
struct CoreLocks {
  static constexpr unsigned kOwn = 48;
  void acquire(int lock) { acquire_greater_equal(kOwn + static_cast<unsigned>(lock), 1); }
  void release(int lock) { ::release(kOwn + static_cast<unsigned>(lock), 1); }
};

}  // namespace

int main() {
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the memory is at a fixed address
  auto* const memory = reinterpret_cast<std::byte*>(kOwnMemory);
  CoreLocks locks;
  ResidentProgram program(memory, locks, CoreTasks<CoreKernels>(memory));
  while (true) program.run_call();
}
