// A channel's tasks move the same words past the same locks in the same order as its transfers.
#include "npu/control/channel_tasks.h"

#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/design/resident.h"
#include "npu/plans/plan.h"
#include "tests/few_samples.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

// Events of a channel: runs of words with their addresses, and changes of locks between them.
struct Event {
  enum class Kind { words, padding, acquire, release };
  Kind kind = Kind::words;
  std::uint64_t argument = 0;  // of words in DDR
  std::uint64_t address = 0;   // of the first word, or the lock
  std::uint64_t count = 1;     // of words that follow one another
  int value = 0;
  bool operator==(const Event&) const = default;
};

// Words that lie behind the last are part of its run.
void add_words(std::vector<Event>& events, const Event& words) {
  if (!events.empty() && words.kind == Event::Kind::words) {
    Event& last = events.back();
    if (last.kind == words.kind && last.argument == words.argument &&
        last.address + last.count == words.address) {
      last.count += words.count;
      return;
    }
  }
  events.push_back(words);
}

// By the definitions in design.h.
class TransferWalk {
 public:
  TransferWalk(const Design& d, std::size_t channel) : d_(d), tile_(d.channels[channel].tile) {
    for (const Transfer& t : d.transfers[channel]) walk(t);
  }
  std::vector<Event> events;

 private:
  void walk(const Transfer& t) {
    for (std::uint32_t e = 0; e < t.elements; ++e) {
      const bool is_last = e + 1 == t.elements;
      if (t.acquire.mode == LockMode::each || e == 0) lock(Event::Kind::acquire, t.acquire, -1);
      element(t.access, e);
      if (t.padding > 0) events.push_back({Event::Kind::padding, 0, 0, t.padding / 4});
      if (t.release.mode == LockMode::each || is_last) lock(Event::Kind::release, t.release, 1);
    }
  }
  void lock(Event::Kind kind, const LockUse& use, int sign) {
    if (use.lock == kNone) return;
    const TileId of = d_.locks[use.lock].tile;
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < use.lock; ++i) id += d_.locks[i].tile == of ? 1 : 0;
    const int shift = of.column - tile_.column + 1;
    events.push_back({kind, 0, id + 64u * static_cast<unsigned>(shift), 1, sign * use.count});
  }
  void element(const Access& a, std::uint32_t e) {
    std::vector<std::uint32_t> at(a.dims.size(), 0);
    for (;;) {
      std::int64_t begin = static_cast<std::int64_t>(a.address(e));
      for (std::size_t i = 0; i < at.size(); ++i) begin += at[i] * a.dims[i].stride;
      run(a, begin);
      std::size_t i = 0;
      while (i < at.size() && ++at[i] == a.dims[i].count) at[i++] = 0;
      if (i == at.size()) return;
    }
  }
  // Runs stay in their tile in every transfer that check() accepts.
  void run(const Access& a, std::int64_t address) {
    const Memory& m = d_.memories[a.memory];
    const std::uint64_t n = a.run / 4;
    if (m.is_argument) {
      add_words(events, {Event::Kind::words, a.memory, static_cast<std::uint64_t>(address) / 4, n});
      return;
    }
    const std::int64_t tile_bytes = 512 * 1024;
    const std::int64_t column = m.first_tile.column + address / tile_bytes;
    const std::int64_t seen = (column - tile_.column + 1) * tile_bytes + address % tile_bytes;
    add_words(events, {Event::Kind::words, 0, static_cast<std::uint64_t>(seen) / 4, n});
  }

  const Design& d_;
  TileId tile_;
};

// By the meaning of the registers: a task runs its chain `repeats` times; a descriptor stands at
// one of its iterations and goes on to the next when it has been used.
class TaskWalk {
 public:
  TaskWalk(const Design& d, std::size_t channel)
      : is_shim_(d.channels[channel].tile.kind == TileKind::shim) {
    for (const ChannelTask& task : channel_tasks(d, channel)) {
      for (std::uint32_t r = 0; r < task.repeats; ++r) {
        for (const TaskDescriptor& t : task.chain) use(t, r);
      }
    }
  }
  std::vector<Event> events;

 private:
  void use(const TaskDescriptor& t, std::uint32_t repeat) {
    const BufferDescriptor& d = t.content;
    if (d.acquire) lock(Event::Kind::acquire, *d.acquire);
    const std::uint64_t iteration = (d.iteration + repeat) % d.iterations;
    const DescriptorDimension& inner = d.dimensions[0];
    const std::uint64_t run = inner.step > 1 ? 1 : inner.wrap == 0 ? d.length : inner.wrap;
    for (std::uint64_t w = 0; w < d.length; w += run) {
      std::uint64_t address = d.address + iteration * d.iteration_step;
      std::uint64_t rest = w;
      for (const DescriptorDimension& dim : d.dimensions) {
        address += (dim.wrap == 0 ? rest : rest % dim.wrap) * dim.step;
        rest = dim.wrap == 0 ? 0 : rest / dim.wrap;
      }
      add_words(events, {Event::Kind::words, is_shim_ ? t.argument : 0, address,
                         std::min(run, d.length - w)});
    }
    if (d.release) lock(Event::Kind::release, *d.release);
  }
  void lock(Event::Kind kind, const LockChange& change) {
    events.push_back({kind, 0, static_cast<std::uint64_t>(change.id), 1, change.value});
  }

  bool is_shim_;
};

// Padding is any word: runs of the tasks that go on where those of the transfers end are cut there.
bool same(const std::vector<Event>& transfers, std::vector<Event> tasks) {
  std::size_t t = 0;
  for (const Event& event : transfers) {
    const bool is_padding = event.kind == Event::Kind::padding;
    for (std::uint64_t left = event.count; left > 0;) {
      if (t == tasks.size()) return false;
      Event& task = tasks[t];
      Event expected = event;
      expected.address += event.kind == Event::Kind::words ? event.count - left : 0;
      expected.count = std::min(left, task.count);
      Event found = task;
      found.count = expected.count;
      if (is_padding ? task.kind != Event::Kind::words : !(found == expected)) return false;
      left -= expected.count;
      task.count -= expected.count;
      task.address += expected.count;
      if (task.count == 0) ++t;
    }
  }
  return t == tasks.size();
}

}  // namespace

TEST_CASE("channel tasks: every word and lock of a layer, in order") {
  constexpr std::array kShapes{EncoderShape{128, 2, 512, 1}, EncoderShape{1280, 20, 256, 1}};
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    for (const EncoderShape& s : tests::some_of(kShapes)) {
      const auto g = layer_geometry(npu1(), {100, s.width, s.heads, s.hidden}, precision);
      for (const LayerCall& call : {LayerCall{}, LayerCall{LayerOp::norm1, LayerOp::norm1}}) {
        const Design d = layer_design(g, call);
        for (std::size_t c = 0; c < d.channels.size(); ++c) {
          if (d.channels[c].tile.kind == TileKind::core) continue;
          CAPTURE(d.name);
          CAPTURE(tile_name(d.channels[c].tile));
          CAPTURE(c);
          REQUIRE(same(TransferWalk(d, c).events, TaskWalk(d, c).events));
        }
      }
    }
  }
}
