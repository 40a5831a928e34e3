// check() on designs made by hand, each on one side of a limit; the limits are the numbers of the
// hardware's documents as they are typed here (AM020 ch. 5, aie-rt's register widths).
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
  Probe probe;
};

constexpr std::uint64_t kMemTile = 512 * 1024;
constexpr std::uint64_t kArgument = 256u << 20;

// Channels, memory and locks.
const std::vector<Made> kPlaces{
    {"as it is", true, {}},
    {"mem-tile channel 4, where no even descriptor is left", false, {.channel = 4}},
    {"mem-tile channel 5, the last", true, {.channel = 5}},
    {"mem-tile channel 6", false, {.channel = 6}},
    {"a channel that is in use", false, {.channel = 1}},
    {"shim channel 2", false, {.shim_channel = 2}},
    {"a shim channel that is in use", false, {.shim_channel = 0}},
    {"column 3, the last", true, {.column = 3}},
    {"memory to the west", true, {.memory_shift = -1}},
    {"memory to the east", true, {.memory_shift = 1}},
    {"memory two tiles east", false, {.memory_shift = 2}},
    {"channel 4, memory to the west", false, {.channel = 4, .memory_shift = -1}},
    {"channel 5, memory to the east", false, {.channel = 5, .memory_shift = 1}},
    {"locks to the west", true, {.lock_shift = -1}},
    {"locks to the east", true, {.lock_shift = 1}},
    {"locks two tiles east", false, {.lock_shift = 2}},
    {"channel 4, locks to the west", false, {.channel = 4, .lock_shift = -1}},
    {"channel 5, locks to the east", false, {.channel = 5, .lock_shift = 1}},
    {"locks of a column that is not there", false, {.column = 3, .lock_shift = 1}},
    {"the last words of a mem tile", true, {.from = run_of(kMemTile - 256, 256)}},
    {"one word beyond a mem tile", false, {.from = run_of(kMemTile - 252, 256)}},
    {"the last words of the argument", true, {.to = run_of(kArgument - 256, 256)}},
    {"one word beyond the argument", false, {.to = run_of(kArgument - 252, 256)}},
    {"an odd address in the mem tile", false, {.from = run_of(256 * 1024 + 2, 256)}},
    {"an odd address in DDR", false, {.to = run_of(2, 256)}},
    {"five elements up to the last words of a mem tile",
     true,
     {.elements = 5, .from = pattern(0, 256, {}, (kMemTile - 256) / 4)}},
    {"five elements of which the last is beyond the mem tile",
     false,
     {.elements = 5, .from = pattern(4, 256, {}, (kMemTile - 256) / 4)}},
};

// Locks and packets.
const std::vector<Made> kLocks{
    {"63 taken at once", true, {.acquired = 63, .initial = 63}},
    {"64 taken at once", false, {.acquired = 64, .initial = 63}},
    {"none taken", false, {.acquired = 0}},
    {"a lock that begins at 64", false, {.initial = 64}},
    {"given up to 63", true, {.released = 1, .other_initial = 62}},
    {"given beyond 63", false, {.other_initial = 63}},
    {"given 63 at once", true, {.released = 63}},
    {"given 63 at once to a lock that has one", false, {.released = 63, .other_initial = 1}},
    {"given 64 at once", false, {.released = 64}},
    {"more taken than there is, for ever", false, {.acquired = 2}},
    {"a packet with id 0", true, {.packet_id = 0}},
    {"a packet with id 31", true, {.packet_id = 31}},
    {"a packet with id 32", false, {.packet_id = 32}},
    {"a packet with a negative id", false, {.packet_id = -2}},
    {"no descriptors of its own", false, {.descriptors = 0}},
    {"all odd descriptors that are left", true, {.descriptors = 8}},
    {"one descriptor more than there are", false, {.descriptors = 9}},
};

Probe both(const Access& from, const Access& to, std::size_t element_bytes = 8192) {
  return {.from = from, .to = to, .element_bytes = element_bytes};
}

// Patterns, lengths and steps.
const std::vector<Made> kPatterns{
    {"four dimensions in a mem tile", true,
     both(pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}}), run_of(0, 64))},
    {"five dimensions in a mem tile", false,
     both(pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}, {2, 1024}}), run_of(0, 128))},
    {"five dimensions of which two continue each other", true,
     both(pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}, {2, 512}}), run_of(0, 128))},
    {"four dimensions of single words", true,
     both(pattern(0, 4, {{2, 8}, {2, 32}, {2, 128}, {2, 512}}), run_of(0, 64))},
    {"three dimensions in DDR", true, both(run_of(0, 32), pattern(0, 8, {{2, 16}, {2, 64}}))},
    {"four dimensions in DDR", false,
     both(run_of(0, 64), pattern(0, 8, {{2, 16}, {2, 64}, {2, 256}}))},
    {"a dimension of one does not count", true,
     both(run_of(0, 32), pattern(0, 8, {{2, 16}, {1, 4}, {2, 64}}))},
    {"a wrap of 1023", true, both(pattern(0, 4, {{1023, 8}}), run_of(0, 4092))},
    {"a wrap of 1024, which is two", true, both(pattern(0, 4, {{1024, 8}}), run_of(0, 4096))},
    {"a wrap of a prime beyond 1023", false, both(pattern(0, 4, {{1031, 8}}), run_of(0, 4124))},
    {"a run of 1024 words with gaps in DDR", true,
     both(run_of(0, 8192), pattern(0, 4096, {{2, 8192}}))},
    {"a run of 1024 words and two dimensions more in DDR", false,
     both(run_of(0, 16384), pattern(0, 4096, {{2, 8192}, {2, 32768}}), 32768)},
    {"a stride of 512 KiB in a mem tile, which ends there", false,
     both(pattern(0, 8, {{2, 512 * 1024}}), run_of(0, 16))},
    {"a stride of 4 MiB in DDR", true, both(run_of(0, 16), pattern(0, 8, {{2, 4 << 20}}))},
    {"a stride of 4 MiB and a word in DDR", false,
     both(run_of(0, 16), pattern(0, 8, {{2, (4 << 20) + 4}}))},
    {"a stride of half words", false, both(run_of(0, 16), pattern(0, 8, {{2, 18}}))},
    {"131071 words of one descriptor", true,
     both(run_of(0, 131071 * 4), run_of(0, 131071 * 4), 1 << 20)},
    {"131072 words of one descriptor", false,
     both(run_of(0, 131072 * 4), run_of(0, 131072 * 4), 1 << 20)},
    {"an element of its link's size", true, both(run_of(0, 8192), run_of(0, 8192))},
    {"an element beyond its link's size", false, both(run_of(0, 8196), run_of(0, 8196))},
    {"half a word", false, both(run_of(0, 254), run_of(0, 254))},
    {"no bytes", false, both(run_of(0, 0), run_of(0, 0))},
    {"no elements", false, {.elements = 0}},
    {"ends of different size", false, {.to = run_of(0, 128)}},
    {"steps of 4 MiB in DDR", true, {.elements = 3, .to = pattern(0, 256, {}, 4 << 20)}},
    {"steps of more than 4 MiB in DDR",
     false,
     {.elements = 3, .to = pattern(0, 256, {}, (4 << 20) + 4)}},
    {"a step that no second element takes", true, {.to = pattern(0, 256, {}, 8 << 20)}},
    {"a dimension that stays where it is", false, both(pattern(0, 8, {{2, 0}}), run_of(0, 16))},
    {"a backward pattern within the tile", false,
     both(pattern(1024, 8, {{2, -16}}), run_of(0, 16))},
    {"a backward pattern before the tile", false, both(pattern(8, 8, {{2, -16}}), run_of(0, 16))},
};

}  // namespace

TEST_CASE("check: designs made by hand, on both sides of each limit") {
  for (const auto* list : {&kPlaces, &kLocks, &kPatterns}) {
    for (const Made& made : *list) {
      CAPTURE(made.name);
      const std::string problem = first_problem(probe_design(made.probe));
      CAPTURE(problem);
      CHECK(problem.empty() == made.is_legal);
    }
  }
}
