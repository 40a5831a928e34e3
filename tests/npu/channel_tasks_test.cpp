// A channel's tasks move the same words past the same locks in the same order as its transfers.
#include "npu/control/channel_tasks.h"

#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/design/resident.h"
#include "npu/plans/plan.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;  // NOLINT
using namespace wnpu::npu;

namespace {

// What passes a channel: words with their addresses, and what happens to locks between them.
struct Event {
  enum class Kind { word, padding, acquire, release };
  Kind kind = Kind::word;
  std::uint64_t argument = 0;  // of a word in DDR
  std::uint64_t address = 0;   // of a word, or the lock
  int value = 0;
  bool operator==(const Event&) const = default;
};

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
      for (std::uint32_t i = 0; i < t.padding / 4; ++i) events.push_back({Event::Kind::padding});
      if (t.release.mode == LockMode::each || is_last) lock(Event::Kind::release, t.release, 1);
    }
  }
  void lock(Event::Kind kind, const LockUse& use, int sign) {
    if (use.lock == kNone) return;
    const TileId of = d_.locks[use.lock].tile;
    std::uint64_t id = 0;
    for (std::size_t i = 0; i < use.lock; ++i) id += d_.locks[i].tile == of ? 1 : 0;
    const int shift = of.column - tile_.column + 1;
    events.push_back({kind, 0, id + 64u * static_cast<unsigned>(shift), sign * use.count});
  }
  void element(const Access& a, std::uint32_t e) {
    std::vector<std::uint32_t> at(a.dims.size(), 0);
    for (;;) {
      std::int64_t begin = static_cast<std::int64_t>(a.address(e));
      for (std::size_t i = 0; i < at.size(); ++i) begin += at[i] * a.dims[i].stride;
      for (std::uint32_t byte = 0; byte < a.run; byte += 4) word(a, begin + byte);
      std::size_t i = 0;
      while (i < at.size() && ++at[i] == a.dims[i].count) at[i++] = 0;
      if (i == at.size()) return;
    }
  }
  void word(const Access& a, std::int64_t address) {
    const Memory& m = d_.memories[a.memory];
    if (m.is_argument) {
      events.push_back({Event::Kind::word, a.memory, static_cast<std::uint64_t>(address) / 4});
      return;
    }
    const std::int64_t tile_bytes = 512 * 1024;
    const std::int64_t column = m.first_tile.column + address / tile_bytes;
    const std::int64_t seen = (column - tile_.column + 1) * tile_bytes + address % tile_bytes;
    events.push_back({Event::Kind::word, 0, static_cast<std::uint64_t>(seen) / 4});
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
    for (std::uint64_t w = 0; w < d.length; ++w) {
      std::uint64_t address = d.address + iteration * d.iteration_step;
      std::uint64_t rest = w;
      for (const DescriptorDimension& dim : d.dimensions) {
        address += (dim.wrap == 0 ? rest : rest % dim.wrap) * dim.step;
        rest = dim.wrap == 0 ? 0 : rest / dim.wrap;
      }
      events.push_back({Event::Kind::word, is_shim_ ? t.argument : 0, address});
    }
    if (d.release) lock(Event::Kind::release, *d.release);
  }
  void lock(Event::Kind kind, const LockChange& change) {
    events.push_back({kind, 0, static_cast<std::uint64_t>(change.id), change.value});
  }

  bool is_shim_;
};

// Padding is any word.
bool same(const std::vector<Event>& transfers, const std::vector<Event>& tasks) {
  if (transfers.size() != tasks.size()) return false;
  for (std::size_t i = 0; i < transfers.size(); ++i) {
    const bool is_padding = transfers[i].kind == Event::Kind::padding;
    if (is_padding ? tasks[i].kind != Event::Kind::word : !(transfers[i] == tasks[i])) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("channel tasks: every word and lock of a layer, in order") {
  for (const Precision precision : {Precision::bf16, Precision::int8}) {
    for (const EncoderShape& s : {EncoderShape{128, 2, 512, 1}, EncoderShape{1280, 20, 256, 1}}) {
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

TEST_CASE("channel tasks: how many a layer has") {
  for (const auto& [name, s] : tests::kWhisperSizes) {
    const Design d =
        layer_design(layer_geometry(npu1(), {1500, s.width, s.heads, s.hidden}, Precision::bf16));
    std::size_t transfers = 0;
    std::size_t tasks = 0;
    std::size_t descriptors = 0;
    for (std::size_t c = 0; c < d.channels.size(); ++c) {
      if (d.channels[c].tile.kind == TileKind::core) continue;
      transfers += d.transfers[c].size();
      for (const ChannelTask& task : channel_tasks(d, c)) {
        ++tasks;
        descriptors += task.chain.size();
      }
    }
    MESSAGE(name, ": ", transfers, " transfers are ", tasks, " tasks of ", descriptors,
            " descriptors");
    CHECK(tasks < transfers);
    if (name == "base") CHECK(tasks < 2000);
  }
}
