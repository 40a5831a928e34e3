// For each limit: a Design that breaks it, and the message that names tile, limit and finding.
#include "npu/sim/check.h"

#include <algorithm>
#include <set>
#include <stdexcept>
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/design/overlay.h"
#include "npu/plans/plan.h"
#include "tests/few_samples.h"
#include "tests/npu/probe_design.h"
#include "tests/npu/small_design.h"
#include "tests/support/text.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;  // NOLINT
using wnpu::tests::first_problem;
using namespace wnpu::npu;
using wnpu::tests::has;
using wnpu::tests::small_design;

namespace {

// The first transfer of the first channel of the kind that has one.
Transfer& first_transfer(Design& design, TileKind kind) {
  for (std::size_t i = 0; i < design.channels.size(); ++i) {
    if (design.channels[i].tile.kind == kind && !design.transfers[i].empty()) {
      return design.transfers[i].front();
    }
  }
  throw std::logic_error("no transfer");
}

Transfer& shim_transfer(Design& design) { return first_transfer(design, TileKind::shim); }
Transfer& mem_transfer(Design& design) { return first_transfer(design, TileKind::mem); }

}  // namespace

TEST_CASE("check: every layer call of every Whisper size fits npu1 and npu4") {
  for (const auto& [name, s] : tests::some_of(tests::kWhisperSizes)) {
    for (const Precision precision : {Precision::bf16, Precision::int8}) {
      for (const Target* const target : {&npu1(), &npu4()}) {
        const auto g = layer_geometry(*target, {1500, s.width, s.heads, s.hidden}, precision);
        auto calls = layer_calls(Plan::batched);
        calls.push_back(LayerCall{});
        for (const LayerCall& call : calls) {
          const Design design = layer_design(g, call);
          CHECK_MESSAGE(first_problem(design).empty(), design.name, ": ", first_problem(design));
        }
      }
    }
  }
}

TEST_CASE("design: npu4 is two halves; nothing is in a mem tile of another row of cores") {
  const auto g = layer_geometry(npu4(), {1500, 512, 8, 2048}, Precision::bf16);
  const Design d = layer_design(g);
  const auto half = [&](std::size_t channel) { return d.channels[channel].tile.column / 4; };
  for (const Link& link : d.links) {
    CAPTURE(link.name);
    for (const std::size_t sink : link.sinks) CHECK(half(sink) == half(link.source));
  }
  std::set<int> columns;
  for (std::size_t i = 0; i < d.channels.size(); ++i) {
    const TileId tile = d.channels[i].tile;
    columns.insert(tile.column);
    if (tile.kind != TileKind::mem) continue;
    for (const Transfer& t : d.transfers[i]) {
      REQUIRE(d.memories[t.access.memory].first_tile == tile);
      REQUIRE(d.memories[t.access.memory].n_tiles == 1);
    }
  }
  CHECK(columns.size() == 8);
}

TEST_CASE("check: npu4's channels 4 and 5, which see their own mem tile alone") {
  Design d = layer_design(layer_geometry(npu4(), {100, 128, 2, 512}, Precision::bf16));
  for (std::size_t i = 0; i < d.channels.size(); ++i) {
    const Channel& c = d.channels[i];
    if (c.tile != TileId{TileKind::mem, 5, 0} || c.index != 4 || d.transfers[i].empty()) continue;
    d.transfers[i].front().access.memory -= 1;
  }
  const std::string problem = first_problem(d);
  CAPTURE(problem);
  CHECK(has(problem, "expected memory of its own tile, found that of mem(4)"));
}

TEST_CASE("check: a mem tile's element lies in one tile, no farther than the next") {
  const auto problem_with = [](std::uint64_t offset, int n_tiles) {
    Design d = small_design();
    Transfer& t = mem_transfer(d);
    d.memories[t.access.memory].n_tiles = n_tiles;
    d.memories[t.access.memory].bytes = static_cast<std::uint64_t>(n_tiles) * 512 * 1024;
    t.access.offset = offset;
    return first_problem(d);
  };
  CHECK(problem_with(0, 3).empty());
  CHECK(has(problem_with(512 * 1024 - 4, 3), "expected an element in one mem tile, found one in"));
  CHECK(has(problem_with(2 * 512 * 1024, 3), "expected memory of adjoining tiles, found that of"));
}

TEST_CASE("design: one overlay serves all sizes, precisions and calls; streams differ") {
  const auto hash = overlay_hash(small_design());
  const auto base = layer_geometry(npu1(), {1500, 512, 8, 2048}, Precision::int8);
  CHECK(overlay_hash(layer_design(base)) == hash);
  CHECK(overlay_hash(layer_design(base, {LayerOp::up, LayerOp::up})) == hash);
  CHECK(design_hash(layer_design(base)) != design_hash(small_design()));
  CHECK(design_hash(small_design()) == design_hash(small_design()));
  const auto strix = layer_geometry(npu4(), {100, 128, 2, 512}, Precision::bf16);
  CHECK(overlay_hash(layer_design(strix)) != hash);
}

TEST_CASE("design: hashes see every part of a call") {
  const auto hash = design_hash(small_design());
  Design d = small_design();
  d.phases[0].outer += 1;
  CHECK(design_hash(d) != hash);
  d = small_design();
  shim_transfer(d).access.offset += 4;
  CHECK(design_hash(d) != hash);
  d = small_design();
  d.locks[0].initial += 1;
  CHECK(design_hash(d) != hash);
  d = small_design();
  d.core.stack_bytes += 32;
  CHECK(overlay_hash(d) != overlay_hash(small_design()));
}

TEST_CASE("design: a core program of other sources is another overlay and another stream") {
  const Design ours = small_design();
  CHECK(ours.core.program_digest.size() == 64);
  CHECK(ours.core.program_digest == core_program_digest());
  Design other = small_design();
  other.core.program_digest.back() ^= 1;
  CHECK(overlay_hash(other) != overlay_hash(ours));
  CHECK(design_hash(other) != design_hash(ours));
}

TEST_CASE("check: each limit by a Design beyond it, with tile, limit and finding") {
  struct Broken {
    void (*change)(Design&);
    std::string expected;
  };
  const Broken all[] = {
      {[](Design& d) { d.core.table_bytes = 4096; },
       "core(0,0): data memory (buffers, tables and stack): expected at most 65536 bytes, found "
       "67332 bytes"},
      {[](Design& d) { d.core.stack_bytes = 6144; },
       "core(0,0): buffer C: expected to begin at 6144 or later, found 4096: it overlaps"},
      {[](Design& d) { d.core.buffers[4].bytes += 32; },
       "core(0,0): data memory: buffers end at byte: expected at most 65536, found 65568"},
      {[](Design& d) { d.core.header_lock = d.core.locks[1].full; },
       "core(0,0): expected a lock for each port's end and for the headers, found lock 3 twice"},
      {[](Design& d) { d.core.locks[2].full = 16; },
       "core(0,0): locks: expected 0 to 15, found 16"},
      {[](Design& d) { d.core.locks[2].full = -1; },
       "core(0,0): locks: expected 0 to 15, found -1"},
      {[](Design& d) { d.core.buffers[1].offset -= 32; },
       "core(0,0): buffer B: expected to begin at 32768 or later, found 32736: it overlaps"},
      {[](Design& d) { d.core.buffers.back().offset += 4; },
       "core(0,0): buffer row scales: expected an offset on 32 bytes, found 12804"},
      {[](Design& d) { d.core.program_bytes = 17000; },
       "core(0,0): program memory: expected at most 16384 bytes, found 17000 bytes"},
      {[](Design& d) { d.regions.back().offset = 600000; },
       "mem(3,0): region key_values ends in memory of: expected at most 524288 bytes, found "},
      {[](Design& d) { d.regions[1].offset = d.regions[0].offset + 100; },
       "mem(0,0): region b_ring overlaps region a_ring at byte 100"},
      {[](Design& d) { d.channels[0].index = 2; },
       "shim(0,0): mm2s channels: expected at most 2 channels, found 3 channels"},
      {[](Design& d) { d.channels[0].descriptors = 12; },
       "shim(0,0): buffer descriptors: expected at most 16 descriptors, found 22 descriptors"},
      {[](Design& d) {
         std::ranges::find_if(d.channels, [](const Channel& c) {
           return c.tile.kind == TileKind::mem && c.index == 0;
         })->descriptors += 20;
       },
       "mem(0,0): buffer descriptors of even channels: expected at most 24 descriptors, found 44 "
       "descriptors"},
      {[](Design& d) {
         d.channels.push_back(d.channels[0]);
         d.channels.back().descriptors = 0;
         d.transfers.emplace_back();
       },
       "shim(0,0): channel 0 is declared twice"},
      {[](Design& d) {
         d.locks.resize(d.locks.size() + 64, {{TileKind::mem, 0, 0}, "more", 0});
       },
       "mem(0,0): locks: expected at most 64 locks, found "},
      {[](Design& d) { d.locks[0].initial = 64; },
       "mem(0,0): initial value of lock a_ring free: expected at most 63, found 64"},
      {[](Design& d) { d.channels[0].tile.column = 4; },
       "channel: expected a tile of 4 columns and 1 rows, found shim(4,0)"},
      {[](Design& d) { shim_transfer(d).access.offset = 2; }, "whole words of 4 bytes"},
      {[](Design& d) {
         shim_transfer(d).access.run = 64;
         shim_transfer(d).access.dims = {{2, 1 << 15}, {2, 1 << 17}, {2, 1 << 19}};
       },
       "dimensions: expected at most 3 dimensions, found 4"},
      {[](Design& d) {
         shim_transfer(d).access.dims = {{2, 8 << 20}};
       },
       "stride: expected at most 4194304 bytes, found 8388608"},
      {[](Design& d) { mem_transfer(d).access.run = 1 << 20; },
       "length: expected at most 524284 bytes, found 1048576"},
      {[](Design& d) { shim_transfer(d).access.run = 16384; },
       "element: expected at most 8192 bytes, found 16384"},
      {[](Design& d) { shim_transfer(d).access.offset = d.memories[0].bytes; },
       "expected bytes 0 to 196608 of input, found"},
      {[](Design& d) { d.phases[0].k = 4096; },
       "core(0,0): phase norm1: element of port A: expected at most 8192 bytes, found 32768 bytes"},
      // A size that sender and receiver do not agree on, and one that the kernel does not expect.
      {[](Design& d) { shim_transfer(d).access.run /= 2; }, "expects another size"},
      {[](Design& d) { d.phases[1].n = 32; },
       "expects an element of 4096 bytes on port B, found 8192"},
  };
  for (const Broken& broken : all) {
    CAPTURE(broken.expected);
    Design d = small_design();
    broken.change(d);
    const std::string problem = first_problem(d);
    CAPTURE(problem);
    CHECK(has(problem, broken.expected));
  }
}

TEST_CASE("check: a stream that waits for ever is found and described") {
  Design d = small_design();
  for (auto& queue : d.transfers) {  // somebody forgets to give back the middle states
    for (Transfer& t : queue) {
      if (t.release.lock != kNone && d.locks[t.release.lock].name == "middle free") t.release = {};
    }
  }
  const std::string problem = first_problem(d);
  for (const char* part : {"deadlock: core(", "in phase", "has not sent element"}) {
    CHECK(has(problem, part));
  }
}

TEST_CASE("check: an element that no core takes would be the next call's first") {
  Design d = row_design(npu1(), RowOp::layer_norm, {512, 100});
  CHECK(first_problem(d) == "");
  for (auto& queue : d.transfers) {
    for (Transfer& t : queue) t.elements += d.links[t.link].name.starts_with("a_") ? 1 : 0;
  }
  CHECK(has(first_problem(d), "core(0,0): expected an empty port A when the call ends, found 1"));
}
