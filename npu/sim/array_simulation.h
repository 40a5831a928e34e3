// The state machine behind simulate(): events in time order, ties in the order they were made, so
// that a run is the same on every machine. A move takes as many bytes as the pieces at hand at all
// ends of a link have in common; it starts when all have begun theirs. Its bytes are read at the
// source when it starts and arrive when it ends; between, the destination holds poison.
#pragma once

#include <array>
#include <memory>
#include <queue>
#include <string_view>
#include <vector>

#include "npu/design/resident.h"
#include "npu/sim/array_memory.h"
#include "npu/sim/channel_work.h"
#include "npu/sim/descriptor_work.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {

// For messages and traces alone.
struct CallNames {
  std::string_view call;
  std::vector<std::string_view> phases;
};

class ArraySimulation {
 public:
  // All have to live as long; `memory` may be null.
  ArraySimulation(const Overlay& overlay, CallNames names, const SimOptions& options,
                  std::unique_ptr<ArrayMemory> memory, WorkerPool* pool);
  // Waits for kernels that are still running on the cores' memory.
  ~ArraySimulation();
  ArraySimulation(const ArraySimulation&) = delete;
  ArraySimulation& operator=(const ArraySimulation&) = delete;

  // Cores are given their headers at once, by operations; channels move what `work` says.
  SimReport run(ChannelWork& work, std::span<const Operation> headers);
  // The controller executes the operations one after the other, on registers.
  SimReport run(DescriptorWork& registers, std::span<const Operation> operations);

 private:
  struct ChannelState {
    bool is_source = false;
    std::vector<std::size_t> sources;  // of a sink: those that may send to it
    std::size_t element_bytes = 0;     // of a core's port
    bool has_piece = false;
    Piece piece;
    bool is_moving = false;
    double move_start = 0;
    std::uint64_t move_bytes = 0;
    std::vector<std::byte> in_flight;  // of a source: the bytes of the move
    std::size_t sender = kNone;        // whose piece a sink takes, from its first byte to its last
  };
  // A port of a core: a ring of element slots between its DMA channel and its program, which two
  // locks of the core keep apart.
  struct PortState {
    std::uint32_t depth = 1;
    int* free = nullptr;  // CoreState::locks
    int* full = nullptr;
    std::uint32_t read = 0;
    std::uint32_t write = 0;
    std::array<std::uint32_t, 2> bytes{};  // that mean something, as far as is known
    Waiters waiters;
  };
  struct CoreState {
    std::vector<std::byte> own_headers;  // without results: there is no data memory to have them in
    std::span<std::byte> headers;
    std::array<int, kCoreLocks> locks{};
    bool has_call = false;
    bool is_done = false;
    CallHeader call;
    std::size_t phase = 0;
    PhaseHeader header;  // of the phase
    std::size_t pc = 0;
    bool is_computing = false;
    double waiting_since = 0;
    double CoreCycles::*waiting_for = nullptr;
    double finished_at = 0;
    std::vector<Step> steps;
    std::array<PortState, 3> ports;
    WorkerPool::Job job;
  };
  struct ControllerState {
    std::span<const Operation> operations;
    std::size_t next = 0;
    bool is_busy = false;
    double waiting_since = -1;
    std::vector<int> tokens;  // that have come, by channel
  };
  enum class EventKind { move_ends, task_ends, operation_ends, token_comes };
  struct Event {
    double time = 0;
    std::uint64_t order = 0;
    EventKind kind = EventKind::move_ends;
    std::size_t subject = 0;  // channel, or core
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  SimReport run_events();
  void schedule(double time, EventKind kind, std::size_t subject);
  void handle(const Event& event);
  [[noreturn]] void refuse(const std::string& what, const std::string& expected,
                           const std::string& found) const;

  // Moves (array_moves.cpp)
  bool is_core(std::size_t channel) const;
  std::size_t core_of(std::size_t channel) const;
  std::size_t core_index(TileId tile) const;
  // Into CoreLayout::buffers and CoreState::ports.
  static std::size_t port_index(const Channel& channel);
  PortState& port_of(std::size_t channel);
  const PortLocks& port_locks(std::size_t channel) const;
  std::span<std::byte> slot_of(std::size_t channel, std::uint32_t slot);
  void poll(std::size_t channel);
  bool begin(std::size_t channel);
  Waiters* begin_on_port(std::size_t channel);
  void try_move(std::size_t source);
  void require_order(std::size_t source, std::size_t sink);
  void require_match(std::size_t source, std::size_t sink) const;
  void start_move(std::size_t source);
  double move_end(std::size_t source, std::uint64_t bytes);
  void end_move(std::size_t source);
  void tell_order(std::size_t source);
  void begin_copy(std::size_t source);
  void put_at_sinks(std::size_t source, std::span<const std::byte> bytes);
  void end_on(std::size_t channel, std::uint64_t bytes);
  void end_on_port(std::size_t channel);

  // The controller (array_controller.cpp)
  void advance_controller();
  bool takes_token(const WaitForTokens& wait);
  void end_operation();
  void apply(const auto& operation) { registers_->apply(operation); }
  void apply(const WaitForTokens& /*wait*/) {}
  void apply(const SetLock& set);
  void apply(const WriteRegister& write);
  void apply(const WriteMasked& write);
  void apply(const WriteBlock& write);
  CoreState& written_core(TileId tile);
  void set_core_lock(const SetLock& set);
  void require_last_phase() const;
  void require_no_tokens() const;
  std::string describe_controller() const;

  // Cores (array_cores.cpp)
  TileId core_tile(std::size_t core) const;
  std::string phase_text(std::size_t phase) const;
  std::string_view phase_name(std::size_t phase) const;
  std::uint32_t header_word(const CoreState& core, std::size_t index) const;
  void prepare_core(std::size_t core);
  bool begin_call(std::size_t core);
  void enter_phase(std::size_t core);
  void advance_core(std::size_t core);
  bool run_step(std::size_t core, const Step& step);
  bool take(std::size_t core, const Step& step);
  void release(std::size_t core, const Step& step);
  void compute(std::size_t core, const Step& step);
  void wait_for(CoreState& core, double CoreCycles::*cause);
  void stop_waiting(CoreState& core);
  std::string describe_cores() const;
  void require_empty_ports() const;
  void record(std::size_t track, std::string_view name, double start, double end);

  const Overlay& overlay_;
  CallNames names_;
  const SimOptions& options_;
  const HardwareModel& preset_;
  std::unique_ptr<ArrayMemory> memory_;  // null: time only
  WorkerPool* pool_;
  ChannelWork* work_ = nullptr;
  DescriptorWork* registers_ = nullptr;  // the same, where there is a controller
  std::vector<std::byte> scratch_;
  std::vector<std::byte> poison_;  // as long as the longest move so far
  std::vector<ChannelState> channels_;
  std::vector<CoreState> cores_;
  ControllerState controller_;
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t n_events_ = 0;
  double now_ = 0;
  double ddr_read_free_ = 0;  // when the memory is done with what was asked of it
  double ddr_write_free_ = 0;
  SimReport report_;
};

}  // namespace wnpu::npu
