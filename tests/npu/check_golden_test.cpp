// check() against what mlir-aie's tools said of designs of ours (tests/data/README.md).
#include <filesystem>
#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <utility>

#include <doctest/doctest.h>

#include "tests/npu/probe_design.h"

using namespace wnpu::npu;    // NOLINT
using namespace wnpu::tests;  // NOLINT

namespace {

// Golden design in our terms: the same fault in a Design of ours, or why there can be none.
struct Golden {
  std::function<Design()> make;
  std::string remark;
};

Golden golden_probe(const Probe& probe, std::string remark = "") {
  return {[probe] { return probe_design(probe); }, std::move(remark)};
}

Golden changed(std::function<void(Design&)> change, std::string remark = "") {
  return {[change = std::move(change)] {
            Design d = probe_design({});
            change(d);
            return d;
          },
          std::move(remark)};
}

// Messages of check() for the golden designs that we refuse.
const std::map<std::string, std::string> kFaults{
    {"bad_align", "whole words of 4 bytes"},
    {"bad_coresize", "data memory (buffers, tables and stack): expected at most 65536 bytes"},
    {"bad_deadlock", "deadlock: "},
    {"bad_dims5", "expected at most 4 dimensions, found 5"},
    {"bad_doubleflow", "expected a packet id for each, found a circuit"},
    {"bad_farlock", "expected a lock of adjoining mem tiles, found one of mem(3,0)"},
    {"bad_flows", "streams from row 0 of cores to mem tiles: expected at most 16"},
    {"bad_lens", "source sends 256 bytes, shim(1,0) expects another size"},
    {"bad_membank", "descriptors of odd channels: expected at most 24"},
    {"bad_membds", "descriptors of odd channels: expected at most 24"},
    {"bad_memchannel", "mm2s channels: expected at most 6 channels, found 7"},
    {"bad_memlock", "locks: expected at most 64 locks"},
    {"bad_memsize", "expected at most 524288 bytes, found 524292"},
    {"bad_neighbour45", "channel 5: expected memory of its own tile"},
    {"bad_oob", "expected bytes 0 to 524288 of row1"},
    {"bad_overlap", "overlaps region a_ring at byte 1024"},
    {"bad_packetid", "packet id: expected 0 to 31, found 32"},
    {"bad_stride", "stride: expected at most 524288 bytes"},
    {"bad_wrap", "wrap: expected at most 1023"},
};

const std::string kEmulator = "the tools take it; an emulator stalls";
const std::string kNobody = "the tools and an emulator take it";
const std::string kAsIs = "a legal design of another shape than ours";

std::map<std::string, Golden> golden_designs() {
  std::map<std::string, Golden> g;
  g["bad_align"] = golden_probe({.from = run_of(256 * 1024 + 2, 256)});
  g["bad_coresize"] = changed([](Design& d) { d.core.stack_bytes = 65536; });
  g["bad_deadlock"] = golden_probe({.acquired = 2}, kEmulator);
  g["bad_dims5"] = golden_probe(
      {.from = pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}, {2, 1024}}), .to = run_of(0, 128)});
  g["bad_doubleflow"] = changed([](Design& d) {
    Link more = d.links.back();
    more.source = d.links.front().source;
    d.links.push_back(more);
  });
  g["bad_farlock"] = golden_probe({.lock_shift = 2});
  g["bad_flows"] = changed([](Design& d) {  // one stream more than leaves the cores' first row
    d.channels.push_back({{TileKind::core, 0, 0}, Direction::mm2s, 1, 1});
    d.channels.push_back({{TileKind::shim, 0, 0}, Direction::s2mm, 1, 1});
    d.links.push_back({"more", d.channels.size() - 2, {d.channels.size() - 1}, 8192, kCircuit});
    d.transfers.resize(d.channels.size());
  });
  g["bad_lens"] = golden_probe({.to = run_of(0, 128)}, kEmulator);
  g["bad_membank"] = g["bad_membds"] = golden_probe({.descriptors = 9});
  g["bad_memchannel"] = golden_probe({.channel = 6}, kNobody);
  g["bad_memlock"] = changed([](Design& d) {
    for (int i = 0; i < 64; ++i) d.locks.push_back({{TileKind::mem, 0, 0}, "more", 0});
  });
  g["bad_memsize"] = changed([](Design& d) { d.memories.back().bytes += 4; });
  g["bad_neighbour45"] = golden_probe({.channel = 5, .memory_shift = 1},
                                      "the tools refuse it of static descriptors alone");
  g["bad_oob"] = golden_probe({.from = run_of(512 * 1024, 256)}, kNobody);
  g["bad_overlap"] = changed([](Design& d) { d.regions[1].offset = d.regions[0].offset + 1024; });
  g["bad_packetid"] = golden_probe({.packet_id = 32});
  g["bad_stride"] = golden_probe({.from = pattern(0, 4, {{2, 24800124}}), .to = run_of(0, 8)});
  g["bad_wrap"] = golden_probe({.from = pattern(0, 4, {{1031, 8}}), .to = run_of(0, 4124)},
                               "1024 itself is split in two, which the tools leave to the writer");
  g["ok_neighbour"] = golden_probe({.memory_shift = 1});
  g["packet"] = golden_probe({.packet_id = 1});
  g["packet2"] = golden_probe({.packet_id = 31});
  g["pass"] = golden_probe({.from = pattern(0, 4, {{32, 128}}), .to = run_of(0, 128)});
  g["pass4d"] =
      golden_probe({.from = pattern(0, 8, {{8, 64}, {8, 512}, {8, 8}}), .to = run_of(0, 4096)});
  for (const char* name : {"flows_npu1", "overlay_npu1", "copy_npu1", "mixed"}) {
    g[name] = golden_probe({});  // the overlay of this project's designs
  }
  g["flows_npu4"] = g["overlay_npu4"] = {{}, "an overlay for npu4 from before it was two halves"};
  g["bad_corebds"] = g["bad_corelock"] = {{}, "a Design has no descriptors and locks of cores"};
  g["bad_packetsend"] = g["bad_packetsend2"] = {{}, "a transfer names its link, not a packet"};
  g["bad_samelock"] = {{}, "a lock's number is its place in the list"};
  g["ok_flows6"] = g["pass_npu2"] = {{}, kAsIs};
  return g;
}

}  // namespace

TEST_CASE("check: mlir-aie's verdicts on 37 designs, where ours can express them") {
  const std::map<std::string, Golden> golden = golden_designs();
  std::ifstream file(std::filesystem::path(WNPU_SOURCE_DIR) / "tests/data/control/verdicts.tsv");
  std::string line;
  std::getline(file, line);
  std::size_t n = 0;
  std::size_t n_expressed = 0;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    std::string name, verifier, routing;
    cells >> name >> verifier >> routing;
    CAPTURE(name);
    REQUIRE(golden.contains(name));
    ++n;
    const auto& [make, remark] = golden.at(name);
    if (!make) {
      CHECK(!remark.empty());
      continue;
    }
    ++n_expressed;
    const std::string problem = first_problem(make());
    CAPTURE(problem);
    const bool tools_refuse = verifier == "refuses" || routing == "refuses";
    // Remarks say who is right about a design that we refuse and the tools accept.
    CHECK((problem.empty() == !tools_refuse || (!problem.empty() && !remark.empty())));
    CHECK(problem.empty() == !kFaults.contains(name));
    if (!problem.empty()) CHECK(problem.find(kFaults.at(name)) != std::string::npos);
  }
  CHECK(n == golden.size());
  CHECK(n == 37);
  CHECK(n_expressed == 28);
}
