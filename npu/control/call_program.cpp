#include "npu/control/call_program.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <string>
#include <tuple>

#include "npu/control/call_start.h"
#include "npu/control/transaction.h"

namespace wnpu::npu {
namespace {

// The first descriptor of every channel: a tile's channels one after the other, in mem tiles the
// odd ones in the upper half.
std::vector<int> first_descriptors(const Design& d) {
  std::map<std::tuple<TileKind, int, int, bool>, int> used;
  std::vector<int> first;
  for (const Channel& c : d.channels) {
    const bool is_upper = c.tile.kind == TileKind::mem && c.index % 2 == 1;
    int& n = used[{c.tile.kind, c.tile.column, c.tile.row, is_upper}];
    first.push_back(n + (is_upper ? d.target->mem_dma.buffer_descriptors / 2 : 0));
    n += c.descriptors;
  }
  return first;
}

// A channel's own descriptors while its tasks are planned: what each holds, and who used it last.
class DescriptorPool {
 public:
  explicit DescriptorPool(int size) : held_(static_cast<std::size_t>(size)) {}

  // Reuses descriptors that hold the task's chain already; else takes those unused for longest.
  PlannedTask place(ChannelTask task, std::size_t index, std::size_t channel) {
    PlannedTask planned;
    std::vector<std::size_t> places = holding(task);
    planned.is_written = places.empty();
    if (places.empty()) {
      places = longest_unused(task.chain.size());
      for (const std::size_t place : places) {
        if (held_[place].last_task != kNone) after(planned, channel, held_[place].last_task + 1);
      }
    }
    for (std::size_t i = 0; i < places.size(); ++i) {
      Held& held = held_[places[i]];
      held.descriptor = task.chain[i];
      held.last_task = index;
      held.chain_place = i;
      held.chain_length = places.size();
      held.descriptor.content.iteration = iteration_after(task.chain[i].content, task.repeats);
      planned.descriptors.push_back(static_cast<int>(places[i]));
    }
    planned.task = std::move(task);
    return planned;
  }

  static void after(PlannedTask& planned, std::size_t channel, std::size_t tasks) {
    for (TasksEnded& ended : planned.after) {
      if (ended.channel != channel) continue;
      ended.tasks = std::max(ended.tasks, tasks);
      return;
    }
    planned.after.push_back({channel, tasks});
  }

 private:
  struct Held {
    TaskDescriptor descriptor;
    std::size_t last_task = kNone;
    std::size_t chain_place = 0;
    std::size_t chain_length = 0;
  };

  static std::uint32_t iteration_after(const BufferDescriptor& d, std::uint32_t repeats) {
    return (d.iteration + repeats) % d.iterations;
  }

  std::vector<std::size_t> holding(const ChannelTask& task) const {
    std::vector<std::size_t> places;
    for (std::size_t i = 0; i < task.chain.size(); ++i) {
      const auto found = std::ranges::find_if(held_, [&](const Held& held) {
        return held.last_task != kNone && held.chain_place == i &&
               held.chain_length == task.chain.size() &&
               (i == 0 || held.last_task == held_[places[0]].last_task) &&
               held.descriptor == task.chain[i];
      });
      if (found == held_.end()) return {};
      places.push_back(static_cast<std::size_t>(found - held_.begin()));
    }
    return places;
  }

  std::vector<std::size_t> longest_unused(std::size_t n) const {
    std::vector<std::size_t> places(held_.size());
    std::iota(places.begin(), places.end(), std::size_t{0});
    std::ranges::stable_sort(places, {}, [&](std::size_t place) {
      return held_[place].last_task == kNone ? 0 : held_[place].last_task + 1;
    });
    if (n > places.size()) {
      throw ControlError("a task: expected at most " + std::to_string(places.size()) +
                         " descriptors, found " + std::to_string(n));
    }
    places.resize(n);
    return places;
  }

  std::vector<Held> held_;
};

// Tasks of each channel that have ended when a token has counted so far.
class Tokens {
 public:
  Tokens(const Design& d, const std::vector<std::vector<ChannelTask>>& tasks) : d_(d) {
    for (std::size_t c = 0; c < tasks.size(); ++c) {
      add_signals(c);
      ends_.emplace_back();
      std::uint64_t end = 0;
      for (const ChannelTask& task : tasks[c]) ends_[c].push_back(end += task.elements);
    }
  }

  // One channel may count to any number; where several count, only all of them are known.
  std::vector<TasksEnded> ended(std::size_t token, std::uint64_t count) const {
    const auto found = signals_.find(token);
    const std::vector<Signals> none;
    const std::vector<Signals>& channels = found == signals_.end() ? none : found->second;
    std::uint64_t all = 0;
    for (const Signals& s : channels) all += s.elements.size();
    if (count > all || (channels.size() > 1 && count < all)) {
      throw ControlError(d_.name + ": token " + std::to_string(token) +
                         ": expected a wait for all " + std::to_string(all) +
                         " elements, found one for " + std::to_string(count));
    }
    std::vector<TasksEnded> result;
    result.reserve(channels.size());
    for (const Signals& s : channels) {
      result.push_back(
          {s.channel, tasks_until(s, channels.size() > 1 ? s.elements.size() : count)});
    }
    return result;
  }

 private:
  // The elements of a channel that a token counts, as they count: the channel's first is 1.
  struct Signals {
    std::size_t channel = 0;
    std::vector<std::uint64_t> elements;
  };

  void add_signals(std::size_t channel) {
    std::uint64_t element = 0;
    for (const Transfer& t : d_.transfers[channel]) {
      for (std::uint32_t e = 0; e < t.elements; ++e) {
        ++element;
        if (t.signal_token != kNone) elements_of(t.signal_token, channel).push_back(element);
      }
    }
  }

  std::vector<std::uint64_t>& elements_of(std::size_t token, std::size_t channel) {
    std::vector<Signals>& channels = signals_[token];
    if (channels.empty() || channels.back().channel != channel) channels.push_back({channel, {}});
    return channels.back().elements;
  }

  std::size_t tasks_until(const Signals& s, std::uint64_t count) const {
    const auto& ends = ends_[s.channel];
    const auto end = std::ranges::lower_bound(ends, count == 0 ? 0 : s.elements[count - 1]);
    return static_cast<std::size_t>(end - ends.begin()) + 1;
  }

  const Design& d_;
  std::map<std::size_t, std::vector<Signals>> signals_;  // by token, in the channels' order
  std::vector<std::vector<std::uint64_t>> ends_;         // [channel][task], elements
};

// Writes operations, and remembers how many tokens of each channel it has taken.
class ProgramWriter {
 public:
  ProgramWriter(const Design& d, const std::vector<std::vector<PlannedTask>>& plan)
      : d_(d),
        plan_(plan),
        first_(first_descriptors(d)),
        n_tokens_(d.channels.size()),
        awaited_(d.channels.size()),
        is_routed_(d.channels.size()) {
    out_.program.shape = array_shape(*d.target);
    out_.program.operations = start_operations(d);
    count_tokens();
  }

  void add(TaskId id) {
    const PlannedTask& planned = plan_[id.channel][id.task];
    const Channel& channel = d_.channels[id.channel];
    const bool has_token = id.task < n_tokens_[id.channel];
    for (const TasksEnded& ended : planned.after) wait(ended);
    if (has_token && !is_routed_[id.channel]) {
      put(RouteTokens{port_of(channel), token_packet(channel.tile)});
      is_routed_[id.channel] = true;
    }
    if (planned.is_written) write_chain(planned, id.channel);
    put(PushTask{port_of(channel), first_[id.channel] + planned.descriptors.front(),
                 planned.task.repeats, has_token});
    ++out_.n_tasks;
  }

  CallProgram finish() {
    for (std::size_t c = 0; c < d_.channels.size(); ++c) wait({c, n_tokens_[c]});
    return std::move(out_);
  }

 private:
  // Counts the leading tasks of each channel whose completion token is awaited.
  void count_tokens() {
    for (std::size_t c = 0; c < d_.channels.size(); ++c) {
      const Channel& channel = d_.channels[c];
      const bool is_output =
          channel.tile.kind == TileKind::shim && channel.direction == Direction::s2mm;
      if (is_output) n_tokens_[c] = plan_[c].size();
      for (const PlannedTask& planned : plan_[c]) count_tokens(planned.after);
    }
  }
  void count_tokens(const std::vector<TasksEnded>& after) {
    for (const TasksEnded& ended : after) {
      n_tokens_[ended.channel] = std::max(n_tokens_[ended.channel], ended.tasks);
    }
  }
  int token_packet(TileId tile) const {
    if (const TokenRoute* route = d_.token_route(tile)) return route->packet_id;
    throw ControlError(tile_name(tile) + ": expected a route for its tokens, found none");
  }

  void put(Operation operation) { out_.program.operations.push_back(std::move(operation)); }

  void wait(TasksEnded ended) {
    for (std::size_t& awaited = awaited_[ended.channel]; awaited < ended.tasks; ++awaited) {
      put(WaitForTokens{port_of(d_.channels[ended.channel]), 1, 1});
    }
  }

  void write_chain(const PlannedTask& planned, std::size_t channel) {
    const TileId tile = d_.channels[channel].tile;
    for (std::size_t i = 0; i < planned.task.chain.size(); ++i) {
      const TaskDescriptor& d = planned.task.chain[i];
      BufferDescriptor content = d.content;
      if (content.next) {
        content.next =
            first_[channel] + planned.descriptors[static_cast<std::size_t>(*content.next)];
      }
      const int id = first_[channel] + planned.descriptors[i];
      put(WriteDescriptor{tile, id, content});
      ++out_.n_descriptors;
      if (tile.kind != TileKind::shim) continue;
      put(PatchAddress{ddr_address_register(tile, id), d.argument, content.address * kWordBytes});
    }
  }

  const Design& d_;
  const std::vector<std::vector<PlannedTask>>& plan_;
  std::vector<int> first_;
  std::vector<std::size_t> n_tokens_;  // sent, by channel
  std::vector<std::size_t> awaited_;   // of these taken so far
  std::vector<bool> is_routed_;
  CallProgram out_;
};

void wait_for_token(PlannedTask& planned, const Transfer& first, const Tokens& tokens) {
  if (first.wait_token == kNone) return;
  for (const TasksEnded& ended : tokens.ended(first.wait_token, first.wait_count)) {
    DescriptorPool::after(planned, ended.channel, ended.tasks);
  }
}

}  // namespace

std::vector<std::vector<PlannedTask>> plan_tasks(const Design& design) {
  std::vector<std::vector<ChannelTask>> tasks(design.channels.size());
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    if (design.channels[c].tile.kind != TileKind::core) tasks[c] = channel_tasks(design, c);
  }
  const Tokens tokens(design, tasks);
  std::vector<std::vector<PlannedTask>> plan(tasks.size());
  for (std::size_t c = 0; c < tasks.size(); ++c) {
    DescriptorPool pool(design.channels[c].descriptors);
    for (std::size_t k = 0; k < tasks[c].size(); ++k) {
      const Transfer& first = design.transfers[c][tasks[c][k].transfer];
      plan[c].push_back(pool.place(std::move(tasks[c][k]), k, c));
      if (k >= kTaskQueueDepth) DescriptorPool::after(plan[c].back(), c, k + 1 - kTaskQueueDepth);
      wait_for_token(plan[c].back(), first, tokens);
    }
  }
  return plan;
}

CallProgram call_program(const Design& design, const std::vector<std::vector<PlannedTask>>& plan,
                         std::span<const TaskId> order) {
  ProgramWriter writer(design, plan);
  for (const TaskId& id : order) writer.add(id);
  return writer.finish();
}

}  // namespace wnpu::npu
