// check() on designs made by hand, each on one side of a limit.
#include <functional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/npu/probe_design.h"

using namespace wnpu::npu;    // NOLINT
using namespace wnpu::tests;  // NOLINT

namespace {

struct Made {
  std::string name;
  bool is_legal = false;
  std::function<void(Probe&)> set;
};

// Channels, memory and locks.
const std::vector<Made> kPlaces{
    {"as it is", true, [](Probe&) {}},
    {"mem-tile channel 4, where no even descriptor is left", false,
     [](Probe& p) { p.channel = 4; }},
    {"mem-tile channel 5, the last", true, [](Probe& p) { p.channel = 5; }},
    {"mem-tile channel 6", false, [](Probe& p) { p.channel = 6; }},
    {"a channel that is in use", false, [](Probe& p) { p.channel = 1; }},
    {"shim channel 2", false, [](Probe& p) { p.shim_channel = 2; }},
    {"a shim channel that is in use", false, [](Probe& p) { p.shim_channel = 0; }},
    {"column 3, the last", true, [](Probe& p) { p.column = 3; }},
    {"memory to the west", true, [](Probe& p) { p.memory_shift = -1; }},
    {"memory to the east", true, [](Probe& p) { p.memory_shift = 1; }},
    {"memory two tiles east", false, [](Probe& p) { p.memory_shift = 2; }},
    {"channel 4, memory to the west", false,
     [](Probe& p) {
       p.channel = 4;
       p.memory_shift = -1;
     }},
    {"channel 5, memory to the east", false,
     [](Probe& p) {
       p.channel = 5;
       p.memory_shift = 1;
     }},
    {"locks to the west", true, [](Probe& p) { p.lock_shift = -1; }},
    {"locks to the east", true, [](Probe& p) { p.lock_shift = 1; }},
    {"locks two tiles east", false, [](Probe& p) { p.lock_shift = 2; }},
    {"channel 4, locks to the west", false,
     [](Probe& p) {
       p.channel = 4;
       p.lock_shift = -1;
     }},
    {"locks of a column that is not there", false,
     [](Probe& p) {
       p.column = 3;
       p.lock_shift = 1;
     }},
    {"the last words of a mem tile", true, [](Probe& p) { p.from.offset = 512 * 1024 - 256; }},
    {"one word beyond a mem tile", false, [](Probe& p) { p.from.offset = 512 * 1024 - 252; }},
    {"the last words of the argument", true, [](Probe& p) { p.to.offset = (256u << 20) - 256; }},
    {"one word beyond the argument", false, [](Probe& p) { p.to.offset = (256u << 20) - 252; }},
    {"an odd address in the mem tile", false, [](Probe& p) { p.from.offset += 2; }},
    {"an odd address in DDR", false, [](Probe& p) { p.to.offset = 2; }},
};

// Locks and packets.
const std::vector<Made> kLocks{
    {"63 taken at once", true,
     [](Probe& p) {
       p.acquired = 63;
       p.initial = 63;
     }},
    {"64 taken at once", false,
     [](Probe& p) {
       p.acquired = 64;
       p.initial = 63;
     }},
    {"none taken", false, [](Probe& p) { p.acquired = 0; }},
    {"a lock that begins at 64", false, [](Probe& p) { p.initial = 64; }},
    {"given up to 63", true,
     [](Probe& p) {
       p.other_initial = 62;
       p.released = 1;
     }},
    {"given beyond 63", false, [](Probe& p) { p.other_initial = 63; }},
    {"given 63 at once", true, [](Probe& p) { p.released = 63; }},
    {"given 64 at once", false, [](Probe& p) { p.released = 64; }},
    {"more taken than there is, for ever", false, [](Probe& p) { p.acquired = 2; }},
    {"a packet with id 0", true, [](Probe& p) { p.packet_id = 0; }},
    {"a packet with id 31", true, [](Probe& p) { p.packet_id = 31; }},
    {"a packet with id 32", false, [](Probe& p) { p.packet_id = 32; }},
    {"a packet with a negative id", false, [](Probe& p) { p.packet_id = -2; }},
    {"no descriptors of its own", false, [](Probe& p) { p.descriptors = 0; }},
    {"all odd descriptors that are left", true, [](Probe& p) { p.descriptors = 8; }},
    {"one descriptor more than there are", false, [](Probe& p) { p.descriptors = 9; }},
};

// Patterns, lengths and steps.
const std::vector<Made> kPatterns{
    {"four dimensions in a mem tile", true,
     [](Probe& p) {
       both(p, pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}}), run_of(0, 64));
     }},
    {"five dimensions in a mem tile", false,
     [](Probe& p) {
       both(p, pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}, {2, 1024}}), run_of(0, 128));
     }},
    {"five dimensions of which two continue each other", true,
     [](Probe& p) {
       both(p, pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}, {2, 512}}), run_of(0, 128));
     }},
    {"four dimensions of single words", true,
     [](Probe& p) {
       both(p, pattern(0, 4, {{2, 8}, {2, 32}, {2, 128}, {2, 512}}), run_of(0, 64));
     }},
    {"three dimensions in DDR", true,
     [](Probe& p) {
       both(p, run_of(0, 32), pattern(0, 8, {{2, 16}, {2, 64}}));
     }},
    {"four dimensions in DDR", false,
     [](Probe& p) {
       both(p, run_of(0, 64), pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}}));
     }},
    {"a dimension of one does not count", true,
     [](Probe& p) {
       both(p, run_of(0, 32), pattern(0, 8, {{2, 16}, {1, 4}, {2, 64}}));
     }},
    {"a wrap of 1023", true,
     [](Probe& p) {
       both(p, pattern(0, 4, {{1023, 8}}), run_of(0, 4092));
     }},
    {"a wrap of 1024, which is two", true,
     [](Probe& p) {
       both(p, pattern(0, 4, {{1024, 8}}), run_of(0, 4096));
     }},
    {"a wrap of a prime beyond 1023", false,
     [](Probe& p) {
       both(p, pattern(0, 4, {{1031, 8}}), run_of(0, 4124));
     }},
    {"a run of 1024 words with gaps in DDR", true,
     [](Probe& p) {
       both(p, run_of(0, 8192), pattern(0, 4096, {{2, 8192}}));
     }},
    {"a run of 1024 words and two dimensions more in DDR", false,
     [](Probe& p) {
       p.element_bytes = 32768;
       both(p, run_of(0, 16384), pattern(0, 4096, {{2, 8192}, {2, 32768}}));
     }},
    {"a stride of 4 MiB in DDR", true,
     [](Probe& p) {
       both(p, run_of(0, 16), pattern(0, 8, {{2, 4 << 20}}));
     }},
    {"a stride of 4 MiB and a word in DDR", false,
     [](Probe& p) {
       both(p, run_of(0, 16), pattern(0, 8, {{2, (4 << 20) + 4}}));
     }},
    {"a stride of half words", false,
     [](Probe& p) {
       both(p, run_of(0, 16), pattern(0, 8, {{2, 18}}));
     }},
    {"131071 words of one descriptor", true,
     [](Probe& p) {
       p.element_bytes = 1 << 20;
       both(p, run_of(0, 131071 * 4), run_of(0, 131071 * 4));
     }},
    {"131072 words of one descriptor", false,
     [](Probe& p) {
       p.element_bytes = 1 << 20;
       both(p, run_of(0, 131072 * 4), run_of(0, 131072 * 4));
     }},
    {"an element of its link's size", true,
     [](Probe& p) { both(p, run_of(0, 8192), run_of(0, 8192)); }},
    {"an element beyond its link's size", false,
     [](Probe& p) { both(p, run_of(0, 8196), run_of(0, 8196)); }},
    {"half a word", false, [](Probe& p) { both(p, run_of(0, 254), run_of(0, 254)); }},
    {"no bytes", false, [](Probe& p) { both(p, run_of(0, 0), run_of(0, 0)); }},
    {"no elements", false, [](Probe& p) { p.elements = 0; }},
    {"ends of different size", false, [](Probe& p) { p.to.run = 128; }},
    {"steps of 4 MiB in DDR", true,
     [](Probe& p) {
       p.elements = 3;
       p.to.step = 4 << 20;
     }},
    {"steps of more than 4 MiB in DDR", false,
     [](Probe& p) {
       p.elements = 3;
       p.to.step = (4 << 20) + 4;
     }},
    {"a step that no second element takes", true, [](Probe& p) { p.to.step = 8 << 20; }},
    {"a dimension that stays where it is", false,
     [](Probe& p) {
       both(p, pattern(0, 8, {{2, 0}}), run_of(0, 16));
     }},
    {"a backward pattern within the tile", false,
     [](Probe& p) {
       both(p, pattern(1024, 8, {{2, -16}}), run_of(0, 16));
     }},
    {"a backward pattern before the tile", false,
     [](Probe& p) {
       both(p, pattern(8, 8, {{2, -16}}), run_of(0, 16));
     }},
};

}  // namespace

TEST_CASE("check: designs made by hand, on both sides of each limit") {
  std::size_t n = 0;
  for (const auto* list : {&kPlaces, &kLocks, &kPatterns}) {
    for (const Made& made : *list) {
      CAPTURE(made.name);
      Probe probe = legal_probe();
      made.set(probe);
      const std::string problem = first_problem(probe_design(probe));
      CAPTURE(problem);
      CHECK(problem.empty() == made.is_legal);
      ++n;
    }
  }
  CHECK(n >= 60);
}
