// Streams: packets, the order of two sources in one sink, elements of a core's port, switches'
// ports.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/design/overlay.h"
#include "npu/design/resident.h"
#include "npu/sim/check.h"
#include "npu/sim/check_parts.h"
#include "npu/sim/compile_call.h"
#include "tests/npu/probe_design.h"
#include "tests/npu/small_design.h"

using namespace wnpu;  // NOLINT
using wnpu::tests::first_problem;
using namespace wnpu::npu;
using wnpu::tests::small_design;

namespace {

std::size_t link_of(const Design& d, const std::string& name) {
  const auto found = std::ranges::find(d.links, name, &Link::name);
  REQUIRE(found != d.links.end());
  return static_cast<std::size_t>(found - d.links.begin());
}

}  // namespace

TEST_CASE("check: weights that may overtake keys and values are refused") {
  Design d = small_design();
  std::size_t n_waits = 0;
  for (auto& queue : d.transfers) {
    for (Transfer& t : queue) {
      const bool is_weights = d.links[t.link].name.starts_with("b_in");
      if (!is_weights || t.wait_token == kNone) continue;
      t.wait_token = kNone;  // as it was: the simulator held them back, an arbiter does not
      ++n_waits;
    }
  }
  CHECK(n_waits == 4);
  CHECK(first_problem(d).find(
            "is ready to send while it is the turn of link b_all: expected an order "
            "between them") != std::string::npos);
}

TEST_CASE("check: streams that share a channel have packet ids, each its own, up to 31") {
  Design d = small_design();
  d.links[link_of(d, "b_in0")].packet_id = kCircuit;
  CHECK(first_problem(d) ==
        "links b_in0 and b_all, which share a channel: expected a packet id for each, found a "
        "circuit");
  d = small_design();
  d.links[link_of(d, "b_in2")].packet_id = 0;
  CHECK(
      first_problem(d) ==
      "links b_in2 and b_all, which share a channel: expected different packet ids, found 0 twice");
  d = small_design();
  d.links[link_of(d, "b_in2")].packet_id = 32;
  CHECK(first_problem(d) == "link b_in2: packet id: expected 0 to 31, found 32");
}

TEST_CASE("check: every element of a core's port has one size") {
  Design d = small_design();
  for (auto& queue : d.transfers) {
    for (Transfer& t : queue) t.padding = 0;
  }
  CHECK(first_problem(d).find("bytes, the length of a core's descriptors, found ") !=
        std::string::npos);
}

TEST_CASE("check: tokens that have no route, or a stream's packet id, or one too long") {
  for (const TileId tile : {TileId{TileKind::mem, 2, 0}, TileId{TileKind::shim, 0, 0}}) {
    Design d = small_design();
    std::erase_if(d.token_routes, [&](const TokenRoute& route) { return route.tile == tile; });
    CHECK(first_problem(d) == tile_name(tile) + ": expected a route for its tokens, found none");
    CHECK_THROWS_WITH_AS(compile_call(d, find_preset(kDefaultPreset)),
                         doctest::Contains("expected a route for its tokens"), ControlError);
    CHECK(overlay_hash(d) != overlay_hash(small_design()));
  }
  Design d = small_design();
  d.links[link_of(d, "b_in2")].packet_id = kMemTokens;
  CHECK(first_problem(d) == "link b_in2 and tokens of mem(0,0): expected different packet ids");
  d = small_design();
  d.token_routes.front().packet_id = 16;
  CHECK(first_problem(d) == "tokens of shim(0,0): packet id: expected 0 to 15, found 16");
}

TEST_CASE("check: more streams than a line of tiles has ports, and what npu1 has left") {
  const Design d = small_design();
  const auto cut = [&](const std::string& name) {
    const auto cuts = stream_cuts(d);
    const auto found = std::ranges::find(cuts, name, &StreamCut::name);
    REQUIRE(found != cuts.end());
    return *found;
  };
  // Results of 16 cores: no port is left on which a core's trace could leave.
  CHECK(cut("from row 0 of cores to mem tiles").streams == 16);
  CHECK(cut("from row 0 of cores to mem tiles").ports == 16);
  CHECK(cut("from mem tiles to shims").streams == 5);  // results, and mem tiles' tokens
  CHECK(cut("from shims to mem tiles").streams == 5);
  Design more = d;
  more.channels.push_back({{TileKind::core, 0, 0}, Direction::mm2s, 1, 1});
  more.channels.push_back({{TileKind::shim, 0, 0}, Direction::s2mm, 1, 1});
  more.links.push_back({"trace", d.channels.size(), {d.channels.size() + 1}, 8192, kCircuit});
  more.transfers.resize(more.channels.size());
  CHECK(first_problem(more) ==
        "streams from row 0 of cores to mem tiles: expected at most 16 streams, found 17 streams");
}

TEST_CASE("check: a lock that grows beyond 63 on the way") {
  Design d = small_design();
  for (auto& queue : d.transfers) {
    for (Transfer& t : queue) {
      if (t.release.lock != kNone && d.locks[t.release.lock].name == "states full")
        t.release.count = 60;
    }
  }
  CHECK(first_problem(d).find("lock states full: expected at most 63, found ") !=
        std::string::npos);
}

TEST_CASE("check: broken references are named, not followed") {
  Design d = small_design();
  d.links.front().source = 1000;
  CHECK(first_problem(d).starts_with("link a_in0: channel: expected one of "));
  d = small_design();
  d.transfers.pop_back();
  CHECK(first_problem(d).starts_with("transfers: expected a list for each of "));
  d = small_design();
  d.links.front().sinks.clear();
  CHECK(first_problem(d) == "link a_in0: expected a sink, found none");
}

TEST_CASE("check: what came under the control program is compared with the Design") {
  Design d = small_design();
  const TimedCall timed = time_call(d, tests::preset(), true);
  CHECK(moves_fault(d, timed.report) == "");
  for (const char* shared : {"b_in1", "b_all"}) {
    Design other = d;  // a sink of two sources that expects one more of one of them
    const std::size_t sink = d.links[link_of(d, "b_in1")].sinks.front();
    for (Transfer& t : other.transfers[sink]) {
      if (t.link == link_of(d, shared)) ++t.elements;
    }
    const std::string fault = moves_fault(other, timed.report);
    CHECK(fault.find("mem(1,0) s2mm 1: under its control program: expected ") != std::string::npos);
    CHECK(fault.find(std::string(" bytes of link ") + shared) != std::string::npos);
  }
  Design swapped = d;  // the same words in another order
  const std::size_t sink = d.links[link_of(d, "b_in1")].sinks.front();
  auto& queue = swapped.transfers[sink];
  const auto keys = std::ranges::find(queue, link_of(d, "b_all"), &Transfer::link);
  REQUIRE(keys != queue.begin());
  std::rotate(queue.begin(), keys, keys + 1);
  CHECK(moves_fault(swapped, timed.report).find("bytes of link b_all, found") != std::string::npos);
}

TEST_CASE("check: a core's descriptors move a buffer whole, for products as for layers") {
  for (const bool is_int8 : {false, true}) {
    for (const std::size_t tile : {64u, 48u}) {
      const Design d = gemm_design(npu1(), {512, 192, 8 * tile, 64, 64, tile, is_int8});
      CAPTURE(d.name);
      CHECK(first_problem(d) == "");
      CHECK(overlay_hash(d) == overlay_hash(small_design()));
    }
  }
  Design d = gemm_design(npu1(), {512, 192, 512, 64, 64, 64, true});
  d.links[link_of(d, "a_row0")].element_bytes = 4096;
  CHECK(first_problem(d) ==
        "core(0,0): element of link a_row0: expected 8192 bytes, the whole buffer, found 4096");
}
