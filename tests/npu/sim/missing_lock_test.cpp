// A layer's design with a lock that nobody takes or gives. check() refuses it wherever something
// depends on the lock, at whatever speeds; and the simulator's bits are wrong where the modelled
// times show it.
#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/sim/check.h"
#include "tests/few_samples.h"
#include "tests/npu/sim/program_runs.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

// Four row blocks of 256, so that every panel is used again.
Design design_without_gaps() {
  return layer_design(layer_geometry(npu1(), {1000, 128, 2, 128}, Precision::bf16), LayerCall{});
}

std::size_t lock_named(const Design& design, const std::string& name, TileId tile) {
  for (std::size_t i = 0; i < design.locks.size(); ++i) {
    if (design.locks[i].name == name && design.locks[i].tile == tile) return i;
  }
  FAIL("no lock " << name);
  return kNone;
}

template <typename Change>
Design with_transfers(Design design, const Change& change) {
  for (auto& queue : design.transfers) std::ranges::for_each(queue, change);
  return design;
}

Design without_lock(const Design& design, std::size_t lock) {
  return with_transfers(design, [lock](Transfer& transfer) {
    if (transfer.acquire.lock == lock) transfer.acquire.lock = kNone;
    if (transfer.release.lock == lock) transfer.release.lock = kNone;
  });
}

// How the check says that nothing orders two accesses.
bool says_unordered(const std::vector<std::string>& problems) {
  return std::ranges::any_of(problems, [](const std::string& problem) {
    return problem.find("expected a lock or a wait for a token that orders them") !=
           std::string::npos;
  });
}

}  // namespace

// The rows that norm2 has written are read while the last of them are still on their way: read when
// a move ends, they would be right.
TEST_CASE("missing lock: a race within a move is a wrong result") {
  const auto layer = layer_geometry(npu1(), {100, 128, 2, 256}, Precision::bf16);
  const Design design = layer_design(layer, LayerCall{});
  const Design raced =
      without_lock(design, lock_named(design, "normed2 full", {TileKind::mem, 0, 0}));
  const tests::ProgramRuns right(design);
  const tests::ProgramRuns wrong(raced);
  CHECK(wrong.fault_of(wrong.program()).empty());
  CHECK(right.results_of(right.program()) != wrong.results_of(wrong.program()));
  CHECK(says_unordered(check(raced)));
}

// Not needed are those whose order something else makes, too: a panel is free again when the cores
// have worked on all of it, since they do nothing for the next row block before; the second wave
// reads keys and values through the channel of the first; the second panel of states is full when
// the controller gives the task that reads it, which has waited for the task that fills it.
TEST_CASE("missing lock: check() finds each that is needed, and the others change no bit") {
  const std::set<std::string> also_ordered{"normed free", "normed2 free", "middle free",
                                           "hidden free", "key_values 1", "states full 2"};
  const Design design = design_without_gaps();
  CHECK(check(design) == std::vector<std::string>{});
  const tests::ProgramRuns whole(design);
  std::set<std::string> seen;
  std::size_t n = 0;
  for (std::size_t i = 0; i < design.locks.size(); ++i) {
    const Lock& lock = design.locks[i];
    if (lock.tile.column != 0) continue;
    std::string name = lock.name;
    if (!seen.insert(name).second) seen.insert(name += " 2");
    if (++n % tests::kSampleShare != 0) continue;
    CAPTURE(name);
    const Design without = without_lock(design, i);
    const bool is_silent = check(without).empty();
    CHECK(is_silent == also_ordered.contains(name));
    if (!is_silent) continue;
    CHECK(whole.is_right(compile_call(without, tests::preset()).program.program));
  }
}

TEST_CASE("missing lock: check() finds an element fewer that is waited for") {
  const Design design = design_without_gaps();
  const std::size_t lock = lock_named(design, "attended full", {TileKind::mem, 0, 0});
  const Design hasty = with_transfers(design, [lock](Transfer& transfer) {
    if (transfer.acquire.lock == lock) --transfer.acquire.count;
  });
  CHECK(says_unordered(check(hasty)));
}

// Results go to DDR, and are read from there once they have come.
TEST_CASE("missing lock: check() finds a wait for a token that is gone") {
  const Design design = design_without_gaps();
  std::set<std::size_t> tokens;
  with_transfers(design, [&](const Transfer& transfer) { tokens.insert(transfer.wait_token); });
  tokens.erase(kNone);
  CHECK(tokens.size() >= 2);
  for (const std::size_t token : tokens) {
    CAPTURE(token);
    const Design hasty = with_transfers(design, [token](Transfer& transfer) {
      if (transfer.wait_token == token) transfer.wait_token = kNone;
    });
    CHECK_FALSE(check(hasty).empty());
  }
}
