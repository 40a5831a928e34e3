#include "npu/sim/order/order_check.h"

#include <algorithm>

#include "npu/control/transaction.h"

namespace wnpu::npu {
namespace {

std::size_t n_cores(const Target& target) {
  return static_cast<std::size_t>(target.columns) * static_cast<std::size_t>(target.core_rows);
}

}  // namespace

OrderCheck::OrderCheck(const Design& design)
    : design_(design),
      n_arguments_(design.n_arguments()),
      now_(design.channels.size() + n_cores(*design.target) + 1,
           Clocks(design.channels.size() + n_cores(*design.target) + 1)),
      cursors_(design.channels.size()),
      tasks_(design.channels.size()),
      senders_(design.channels.size()),
      history_(n_arguments_ + static_cast<std::size_t>(design.target->all_columns()) +
               n_cores(*design.target)) {
  for (AgentId agent = 0; agent < now_.size(); ++agent) now_[agent].tick(agent);
}

// ---- who waits for whom -------------------------------------------------------------------------

LockOrder& OrderCheck::lock_of(TileId tile, int lock) {
  return locks_[{tile.kind, tile.column, tile.row, lock}];
}

void OrderCheck::acquire(AgentId agent, TileId tile, int lock, int left) {
  lock_of(tile, lock).acquire(left, now_[agent]);
}

void OrderCheck::release(AgentId agent, TileId tile, int lock, int units) {
  lock_of(tile, lock).release(agent, units, now_[agent]);
  now_[agent].tick(agent);
}

void OrderCheck::set_lock(TileId tile, int lock, int value) {
  lock_of(tile, lock).set(controller(), value, now_[controller()]);
  now_[controller()].tick(controller());
}

void OrderCheck::send(std::size_t source, std::size_t sink) {
  Sender& last = senders_[sink];
  const bool is_other = last.source != kNone && last.source != source;
  if (is_other && !now_[source].has({of_channel(sink), last.tick})) {
    add_fault(agent_name(of_channel(sink)) + ": " + agent_name(of_channel(source)) +
              " sends after " + agent_name(of_channel(last.source)) +
              ": expected a wait until that has come, found none");
  }
  now_[sink].join(now_[source]);
  last = {source, now_[sink].of(of_channel(sink))};
}

void OrderCheck::end_send(std::size_t source) { now_[source].tick(of_channel(source)); }

// ---- tasks --------------------------------------------------------------------------------------

// Number of a channel's tasks that the controller knows to have ended.
std::size_t OrderCheck::known_ends(std::size_t channel) const {
  const auto& ended = tasks_[channel].ended;
  const std::uint32_t known = now_.back().of(of_channel(channel));
  return static_cast<std::size_t>(std::ranges::upper_bound(ended, known) - ended.begin());
}

void OrderCheck::give_task(std::size_t channel, std::span<const int> descriptors) {
  Tasks& tasks = tasks_[channel];
  const TileId tile = design_.channels[channel].tile;
  if (tasks.n_given - known_ends(channel) >= static_cast<std::size_t>(kTaskQueueDepth)) {
    add_fault(agent_name(of_channel(channel)) + ": task " + std::to_string(tasks.n_given) +
              ": expected a wait that makes room in the queue of " +
              std::to_string(kTaskQueueDepth) + ", found none");
  }
  tasks.given.push_back(now_[controller()]);
  now_[controller()].tick(controller());
  ++tasks.n_given;
  for (const int id : descriptors) users_[{tile.kind, tile.column, id}] = {channel, tasks.n_given};
}

void OrderCheck::begin_task(std::size_t channel) {
  Tasks& tasks = tasks_[channel];
  now_[channel].join(tasks.given.front());
  tasks.given.pop_front();
}

void OrderCheck::end_task(std::size_t channel, bool sends_token) {
  Tasks& tasks = tasks_[channel];
  tasks.ended.push_back(now_[channel].of(of_channel(channel)));
  if (sends_token) tasks.tokens.push_back(now_[channel]);
  now_[channel].tick(of_channel(channel));
}

void OrderCheck::take_token(std::size_t channel) {
  std::deque<Clocks>& tokens = tasks_[channel].tokens;
  now_[controller()].join(tokens.front());
  tokens.pop_front();
}

void OrderCheck::write_descriptor(TileId tile, int descriptor) {
  const auto user = users_.find({tile.kind, tile.column, descriptor});
  if (user == users_.end() || known_ends(user->second.channel) >= user->second.task) return;
  add_fault(tile_name(tile) + ": descriptor " + std::to_string(descriptor) +
            " is written: expected a wait for the task that uses it, found none");
}

void OrderCheck::end_program() {
  for (std::size_t i = 0; i < design_.channels.size(); ++i) {
    const Channel& c = design_.channels[i];
    const bool is_output = c.tile.kind == TileKind::shim && c.direction == Direction::s2mm;
    if (!is_output || known_ends(i) == tasks_[i].n_given) continue;
    add_fault(agent_name(of_channel(i)) +
              ": expected a wait for all that it writes to DDR at the end of the control program, "
              "found " +
              std::to_string(known_ends(i)) + " of " + std::to_string(tasks_[i].n_given) +
              " tasks waited for");
  }
}

// ---- accesses -----------------------------------------------------------------------------------

OrderCheck::Stretch OrderCheck::next_stretch(std::size_t channel, std::uint64_t most) {
  const std::vector<Transfer>& transfers = design_.transfers[channel];
  Cursor& cursor = cursors_[channel];
  if (cursor.transfer == transfers.size()) return {most, cursor.transfer, false};
  const Transfer& t = transfers[cursor.transfer];
  const std::uint64_t meant = t.access.bytes();
  Stretch stretch{most, cursor.transfer, cursor.byte >= meant};
  stretch.bytes = std::min(most, (stretch.is_padding ? t.stream_bytes() : meant) - cursor.byte);
  cursor.byte += stretch.bytes;
  if (cursor.byte < t.stream_bytes()) return stretch;
  cursor.byte = 0;
  if (++cursor.element == t.elements) {
    cursor.element = 0;
    ++cursor.transfer;
  }
  return stretch;
}

// Padding may hold anything at any time, so reads of it are not checked.
void OrderCheck::move(std::size_t channel, const WordPattern& pattern, std::uint64_t position,
                      std::uint64_t bytes, Kind kind) {
  while (bytes > 0) {
    const Stretch stretch = next_stretch(channel, bytes);
    const bool is_skipped = stretch.is_padding && kind == Kind::read;
    const std::uint32_t event = add_event(of_channel(channel), stretch.transfer);
    WordRuns runs(pattern, position / kWordBytes);
    for (std::uint64_t left = is_skipped ? 0 : stretch.bytes / kWordBytes; left > 0;) {
      const WordRun run = runs.next(left);
      access(event, pattern.memory, run, kind);
      left -= run.words;
    }
    position += stretch.bytes;
    bytes -= stretch.bytes;
  }
}

// One word stands for all of a slot.
void OrderCheck::use_slot(AgentId agent, std::size_t core, std::size_t port, std::uint32_t slot,
                          Kind kind) {
  const std::size_t memory =
      n_arguments_ + static_cast<std::size_t>(design_.target->all_columns()) + core;
  access(add_event(agent, 0), memory, {kPorts * slot + port, 1}, kind);
}

std::uint32_t OrderCheck::add_event(AgentId agent, std::size_t transfer) {
  return history_.add_event({agent, now_[agent].of(agent)}, u32(transfer));
}

void OrderCheck::access(std::uint32_t event, std::size_t memory, WordRun run, Kind kind) {
  const Clocks& now = now_[history_.event(event).moment.agent];
  const auto conflict = kind == Kind::read ? history_.read(memory, run, event, now)
                                           : history_.write(memory, run, event, now);
  if (conflict) add_conflict(history_.event(event), kind, memory, *conflict);
}

// ---- messages -----------------------------------------------------------------------------------

void OrderCheck::add_fault(const std::string& fault) {
  if (faults_.size() < kEnough) faults_.push_back(fault);
}

void OrderCheck::add_conflict(const AccessHistory::Event& later, Kind kind, std::size_t memory,
                              const AccessHistory::Conflict& conflict) {
  const AccessHistory::Event& earlier = conflict.earlier;
  if (!reported_.insert({earlier.moment.agent, later.moment.agent}).second) return;
  add_fault(place_text(memory, conflict.word) + ": " +
            access_text(earlier, conflict.earlier_writes) + ", " +
            access_text(later, kind == Kind::write) +
            ": expected a lock or a wait for a token that orders them, found none");
}

std::string OrderCheck::agent_name(AgentId agent) const {
  const std::size_t n_channels = design_.channels.size();
  if (agent < n_channels) {
    const Channel& c = design_.channels[agent];
    return port_name({c.tile, c.direction, c.index});
  }
  if (agent == controller()) return "the controller";
  const auto columns = static_cast<std::size_t>(design_.target->all_columns());
  const std::size_t core = agent - n_channels;
  return "the program of " + tile_name({TileKind::core, static_cast<int>(core % columns),
                                        static_cast<int>(core / columns)});
}

std::string OrderCheck::access_text(const AccessHistory::Event& event, bool is_write) const {
  std::string text = agent_name(event.moment.agent) + (is_write ? " writes" : " reads");
  const std::size_t channel = event.moment.agent;
  if (channel >= design_.channels.size() || event.transfer >= design_.transfers[channel].size()) {
    return text;
  }
  const Transfer& t = design_.transfers[channel][event.transfer];
  return text + " it (transfer " + std::to_string(event.transfer) + ", link " +
         design_.links[t.link].name + ")";
}

// Regions that share the byte are all named.
std::string OrderCheck::place_text(std::size_t memory, std::uint64_t word) const {
  const std::uint64_t byte = word * kWordBytes;
  if (memory < n_arguments_) {
    return "argument " + design_.memories[memory].name + ", byte " + std::to_string(byte);
  }
  const int column = static_cast<int>(memory - n_arguments_);
  if (column >= design_.target->all_columns()) {
    return std::string("port ") + "ABC"[word % kPorts] + " of core " +
           std::to_string(column - design_.target->all_columns());
  }
  std::string names;
  for (const Region& r : design_.regions) {
    const TileId first = design_.memories[r.memory].first_tile;
    const auto tile = static_cast<std::uint64_t>(column - first.column);
    const std::uint64_t at = tile * design_.target->mem_tile_bytes + byte;
    const bool is_within = column >= first.column && at >= r.offset && at < r.offset + r.bytes;
    if (is_within) names += (names.empty() ? "" : " or ") + r.name;
  }
  return tile_name({TileKind::mem, column, 0}) + ", byte " + std::to_string(byte) +
         (names.empty() ? "" : " (" + names + ")");
}

}  // namespace wnpu::npu
