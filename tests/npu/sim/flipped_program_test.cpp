// A control program with one field, one operation or one order wrong never gives the right result.
#include <algorithm>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/few_samples.h"
#include "tests/npu/sim/program_runs.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;
using wnpu::tests::kSampleShare;
using wnpu::tests::places_of;
using wnpu::tests::ProgramRuns;

namespace {

// A change of one field; false where the descriptor does not use it.
struct Flip {
  std::string name;
  std::function<bool(TileKind, BufferDescriptor&)> change;
  bool is_lock = false;
};

// Any place is good enough for padding.
bool is_padding(const BufferDescriptor& d) {
  static const std::uint64_t kPlace =
      kOwnMemTileAddress + tests::small_design().memories.back().padding_offset / 4;
  return d.address == kPlace;
}

// Takes and gives the locks of the rings of A and B, which are in use almost to the end.
// Without another lock a call may well come right: nobody takes it any more, or what it guards
// comes with what another lock guards, at any speed of the model.
bool is_ring(const BufferDescriptor& d) {
  constexpr int kRingLocks = 4;
  return d.acquire && d.acquire->id - kOwnMemTileLock < kRingLocks && d.release &&
         d.release->id - kOwnMemTileLock < kRingLocks;
}

// Dimension `i` counts to more than one.
bool is_used(const BufferDescriptor& d, std::size_t i) {
  std::uint64_t inner = 1;
  for (std::size_t j = 0; j < i; ++j) {
    if (d.dimensions[j].wrap == 0) return false;
    inner *= d.dimensions[j].wrap;
  }
  const std::uint64_t count = d.dimensions[i].wrap == 0 ? d.length / inner : d.dimensions[i].wrap;
  return count > 1;
}

bool change_step(BufferDescriptor& d, std::size_t i) {
  if (!is_used(d, i)) return false;
  ++d.dimensions[i].step;
  return true;
}

bool change_wrap(BufferDescriptor& d, std::size_t i) {
  if (d.dimensions[i].wrap == 0) return false;
  ++d.dimensions[i].wrap;
  return true;
}

std::vector<Flip> flips() {
  using D = BufferDescriptor;
  std::vector<Flip> all{
      {"address", [](TileKind, D& d) { return d.address += 16, true; }},
      {"a word more", [](TileKind, D& d) { return d.length += 1, true; }},
      {"a word less", [](TileKind, D& d) { return d.length -= 1, true; }},
      {"half of it", [](TileKind, D& d) { return d.length /= 2, true; }},
      {"iterations",
       [](TileKind, D& d) { return d.iterations > 1 && (--d.iterations, d.iteration = 0, true); }},
      {"iteration step",
       [](TileKind, D& d) { return d.iterations > 1 && (++d.iteration_step, true); }},
      {"iteration",
       [](TileKind, D& d) {
         return d.iterations > 1 && (d.iteration = (d.iteration + 1) % d.iterations, true);
       }},
      {"lock to take", [](TileKind, D& d) { return d.acquire && (++d.acquire->id, true); }, true},
      {"value to take", [](TileKind, D& d) { return d.acquire && (--d.acquire->value, true); },
       true},
      {"takes exactly", [](TileKind, D& d) { return d.acquire && (d.acquire->value = 1, true); }},
      {"lock to give", [](TileKind, D& d) { return d.release && (++d.release->id, true); }, true},
      {"no lock to give", [](TileKind, D& d) { return d.release && (d.release.reset(), true); },
       true},
      {"packet id", [](TileKind, D& d) { return d.packet && (d.packet->id ^= 16, true); }},
      {"no packet", [](TileKind, D& d) { return d.packet && (d.packet.reset(), true); }},
      {"a packet",
       [](TileKind, D& d) {
         return !d.packet && (d.packet = Packet{0, 1}, true);
       }},
      {"no next", [](TileKind, D& d) { return d.next && (d.next.reset(), true); }},
      {"another next", [](TileKind, D& d) { return d.next && (*d.next ^= 1, true); }},
      {"not valid", [](TileKind, D& d) { return d.is_valid = false, true; }},
      {"zeros",
       [](TileKind kind, D& d) { return kind == TileKind::mem && (d.zeros_after[0] = 1, true); }},
      {"no TLAST", [](TileKind, D& d) { return d.suppresses_tlast = true; }},
  };
  for (std::size_t i = 0; i < 4; ++i) {
    all.push_back({"step", [i](TileKind, D& d) { return change_step(d, i); }});
    if (i < 3) all.push_back({"wrap", [i](TileKind, D& d) { return change_wrap(d, i); }});
  }
  return all;
}

// Some of the places, at most `n`, the same on every machine.
std::vector<std::size_t> drawn_from(std::vector<std::size_t> places, std::size_t n,
                                    std::mt19937& random) {
  n /= kSampleShare;
  for (std::size_t i = places.size(); i > 1; --i) std::swap(places[i - 1], places[random() % i]);
  places.resize(std::min(n, places.size()));
  return places;
}

// Descriptors that the flip changes, of those that mean something.
std::vector<std::size_t> flipped_places(const ControlProgram& program, const Flip& flip) {
  std::vector<std::size_t> places = places_of<WriteDescriptor>(program);
  std::erase_if(places, [&](std::size_t place) {
    WriteDescriptor write = std::get<WriteDescriptor>(program.operations[place]);
    const bool is_late = place > program.operations.size() / 2;
    const bool is_free =
        is_padding(write.content) || (flip.is_lock && (is_late || !is_ring(write.content)));
    return is_free || !flip.change(write.tile.kind, write.content);
  });
  return places;
}

// Flips that change no result, tried in some random places.
std::string unnoticed(const ProgramRuns& runs, const Flip& flip, std::mt19937& random) {
  std::string found;
  for (const std::size_t place : drawn_from(flipped_places(runs.program(), flip), 8, random)) {
    ControlProgram program = runs.program();
    auto& write = std::get<WriteDescriptor>(program.operations[place]);
    flip.change(write.tile.kind, write.content);
    if (!runs.is_right(program)) continue;
    found += flip.name + " at operation " + std::to_string(place) + ", " + tile_name(write.tile) +
             " descriptor " + std::to_string(write.descriptor) + "; ";
  }
  return found;
}

}  // namespace

TEST_CASE("flipped program: no descriptor of a layer may differ in a field") {
  const ProgramRuns runs(tests::small_design());
  std::mt19937 random(23);
  for (const Flip& flip : flips()) CHECK(unnoticed(runs, flip, random) == "");
}

TEST_CASE("flipped program: no other operation of a layer may differ or be left out") {
  const ProgramRuns runs(tests::small_design());
  std::mt19937 random(23);
  const auto check = [&](const std::string& what, const std::vector<std::size_t>& places,
                         const std::function<bool(Operation&)>& change) {
    for (const std::size_t place : drawn_from(places, 8, random)) {
      ControlProgram program = runs.program();
      if (!change(program.operations[place])) continue;
      CAPTURE(what);
      CAPTURE(place);
      CHECK_FALSE(runs.is_right(program));
    }
  };
  const auto patches = places_of<PatchAddress>(runs.program());
  check("argument", patches, [](Operation& o) { return ++std::get<PatchAddress>(o).argument; });
  check("offset", patches, [](Operation& o) { return std::get<PatchAddress>(o).offset += 4; });
  const auto pushes = places_of<PushTask>(runs.program());
  check("descriptor", pushes, [](Operation& o) { return ++std::get<PushTask>(o).descriptor; });
  check("once more", pushes, [](Operation& o) { return ++std::get<PushTask>(o).repeats; });
  check("once less", pushes, [](Operation& o) {
    auto& push = std::get<PushTask>(o);
    return push.repeats > 1 && (--push.repeats, true);
  });
  check("token", pushes, [](Operation& o) {
    auto& push = std::get<PushTask>(o);
    push.has_token = !push.has_token;
    return true;
  });
  check("channel", pushes, [](Operation& o) { return std::get<PushTask>(o).port.channel ^= 1; });
  check("where tokens go", places_of<RouteTokens>(runs.program()),
        [](Operation& o) { return std::get<RouteTokens>(o).controller = 7; });
  const auto waits = places_of<WaitForTokens>(runs.program());
  check("whose token", waits, [](Operation& o) {
    auto& channel = std::get<WaitForTokens>(o).port.channel;
    return channel ^= 1, true;
  });
  check("more tokens", waits, [](Operation& o) { return ++std::get<WaitForTokens>(o).columns; });
  const auto locks = places_of<SetLock>(runs.program());
  check("lock", locks, [](Operation& o) { return ++std::get<SetLock>(o).lock; });
  const auto blocks = places_of<WriteBlock>(runs.program());
  check("core", blocks, [](Operation& o) { return std::get<WriteBlock>(o).address ^= 1u << 20; });
}

TEST_CASE("flipped program: no operation of a layer may be missing") {
  const ProgramRuns runs(tests::small_design());
  std::mt19937 random(23);
  std::vector<std::size_t> places(runs.program().operations.size());
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = i;
  for (const std::size_t place : drawn_from(places, 100, random)) {
    ControlProgram program = runs.program();
    const auto* write = std::get_if<WriteDescriptor>(&program.operations[place]);
    if (write != nullptr && write->content.release && !is_ring(write->content)) continue;
    program.operations.erase(program.operations.begin() + static_cast<std::ptrdiff_t>(place));
    CAPTURE(place);
    CHECK_FALSE(runs.is_right(program));
  }
}

TEST_CASE("flipped program: a task, or a core's lock, before what it needs") {
  const ProgramRuns runs(tests::small_design());
  std::mt19937 random(23);
  std::vector<std::size_t> places;  // of the second of two
  for (const std::size_t place : places_of<PushTask>(runs.program())) {
    const Operation& before = runs.program().operations[place - 1];
    if (std::holds_alternative<WriteDescriptor>(before)) places.push_back(place);
    if (std::holds_alternative<PatchAddress>(before)) places.push_back(place);
  }
  places = drawn_from(places, 40, random);
  for (const std::size_t place : places_of<WriteBlock>(runs.program())) places.push_back(place + 1);
  for (const std::size_t place : places) {
    ControlProgram program = runs.program();
    std::swap(program.operations[place - 1], program.operations[place]);
    CAPTURE(place);
    CHECK_FALSE(runs.is_right(program));
  }
}

TEST_CASE("flipped program: any other bit is refused or runs to some end") {
  const ProgramRuns runs(tests::small_design());
  const std::vector<std::byte> bytes = encode(runs.program());
  std::mt19937 random(23);
  std::size_t n_refused = 0;
  constexpr std::size_t kFlips = 400 / kSampleShare;
  for (std::size_t i = 0; i < kFlips; ++i) {
    // Behind the headers of phases, which say how many steps a core walks.
    const std::size_t half = bytes.size() / 2;
    std::vector<std::byte> flipped = bytes;
    flipped[half + random() % (bytes.size() - half)] ^= std::byte{1} << random() % 8;
    try {
      n_refused += runs.fault_of(decode(flipped)).empty() ? 0 : 1;
    } catch (const ControlError&) {
      ++n_refused;
    }
  }
  MESSAGE(n_refused, " of ", kFlips, " programs are refused or end in a deadlock");
  CHECK(n_refused > kFlips / 2);
}

TEST_CASE("flipped program: other orders and speeds of the same call give the same bits") {
  const Design design = tests::small_design();
  const ProgramRuns runs(design);
  CHECK(runs.is_right(runs.program()));
  for (const char* name : {"phoenix-1.0/goal", "phoenix-8700g/open-source", "hawk-1.6/gemm"}) {
    const ControlProgram other = compile_call(design, find_preset(name)).program.program;
    CAPTURE(name);
    CHECK(other != runs.program());
    CHECK(runs.is_right(other));
  }
}
