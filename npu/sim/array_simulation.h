// The state machine behind simulate(): events in time order, ties in the order they were made, so
// that a run is the same on every machine. DMA moves whole elements; a move starts when its source
// and all its sinks are ready, and its bytes are copied when it ends.
#pragma once

#include <array>
#include <memory>
#include <queue>
#include <vector>

#include "npu/design/resident.h"
#include "npu/sim/array_memory.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {

class ArraySimulation {
 public:
  ArraySimulation(const Design& design, const SimOptions& options);
  // Waits for kernels that are still running on the cores' memory.
  ~ArraySimulation();
  ArraySimulation(const ArraySimulation&) = delete;
  ArraySimulation& operator=(const ArraySimulation&) = delete;
  SimReport run();

 private:
  // Source channels that try again when something changes.
  using Waiters = std::vector<std::size_t>;

  struct ChannelState {
    std::size_t transfer = 0;  // head of the queue
    std::uint32_t element = 0;
    std::uint64_t moved = 0;               // elements, all transfers together
    std::uint64_t given = 0;               // elements of the tasks that the controller has given
    std::vector<std::uint64_t> task_ends;  // elements, of those tasks
    bool is_busy = false;
    std::size_t link = kNone;  // moving, or the only one of a core's channel
    Waiters waiters;           // sources that need this sink
  };
  struct CounterState {  // a lock or a token
    std::int64_t value = 0;
    Waiters waiters;
  };
  struct ElementBytes {
    std::uint64_t meant = 0;     // by the access or the kernel
    std::uint64_t streamed = 0;  // with the padding
    bool operator==(const ElementBytes&) const = default;
  };
  // A port of a core: a ring of element slots between its DMA channel and its program, which two
  // locks of the core keep apart.
  struct PortState {
    std::uint32_t depth = 1;
    int* free = nullptr;  // CoreState::locks
    int* full = nullptr;
    std::uint32_t read = 0;
    std::uint32_t write = 0;
    std::array<std::uint32_t, 2> bytes{};  // that mean something
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
    bool is_waiting = false;
    double waiting_since = 0;
    double* waiting_for = nullptr;  // which CoreCycles member
    double finished_at = 0;
    std::vector<Step> steps;
    std::array<PortState, 3> ports;
    WorkerPool::Job job;
  };
  struct ControllerState {
    std::size_t next = 0;  // operation
    bool is_busy = false;
    double waiting_since = -1;
  };
  enum class EventKind { move_ends, task_ends, operation_ends, token_comes };
  struct Event {
    double time = 0;
    std::uint64_t order = 0;
    EventKind kind = EventKind::move_ends;
    std::size_t subject = 0;  // source channel, or core
    bool operator>(const Event& other) const {
      return time != other.time ? time > other.time : order > other.order;
    }
  };

  void schedule(double time, EventKind kind, std::size_t subject);
  void wake(Waiters& waiters);

  // DMA (array_dma.cpp)
  const Transfer* head(std::size_t channel) const;
  bool is_core(std::size_t channel) const;
  std::size_t core_of(std::size_t channel) const;
  std::size_t core_index(TileId tile) const;
  PortState& port_of(std::size_t channel);
  std::span<std::byte> slot_of(std::size_t channel, std::uint32_t slot, std::size_t bytes);
  void release_lock(const LockUse& use);
  void require_turn(std::size_t source, std::size_t sink) const;
  Waiters* transfer_blocker(std::size_t channel);
  Waiters* sink_blocker(std::size_t sink, std::size_t link);
  Waiters* source_blocker(std::size_t source);
  void try_move(std::size_t source);
  ElementBytes begin_on(std::size_t channel, bool is_sink);
  double move_end(std::size_t source, std::uint64_t bytes);
  void end_move(std::size_t source);
  void copy_element(std::size_t source);
  void end_on(std::size_t channel, std::size_t source);
  void advance_transfer(std::size_t channel);

  // The controller (array_controller.cpp)
  bool has_task(std::size_t channel) const;
  void advance_controller();
  void end_operation();
  void give_task(const ControlStep& step);
  void apply(const Operation& operation);
  void set_lock(const SetLock& set);
  void write_headers(const DataPlace& place, std::span<const std::uint32_t> words);
  void set_core_lock(const SetLock& set);
  void require_last_phase() const;
  std::string describe_controller() const;

  // Cores (array_cores.cpp)
  void handle(const Event& event);
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
  std::string describe_deadlock() const;
  void require_empty_ports() const;

  void record(std::size_t track, std::string_view name, double start, double end);

  const Design& design_;
  const SimOptions& options_;
  const TimePreset& preset_;
  std::unique_ptr<ArrayMemory> memory_;  // null: time only
  std::vector<std::byte> scratch_;
  std::vector<ChannelState> channels_;
  std::vector<double> move_start_;  // by source channel
  std::vector<CounterState> locks_;
  std::vector<CounterState> tokens_;
  std::vector<CoreState> cores_;
  ControllerState controller_;
  std::vector<std::size_t> to_try_;  // source channels woken by the event at hand
  std::priority_queue<Event, std::vector<Event>, std::greater<>> events_;
  std::uint64_t n_events_ = 0;
  double now_ = 0;
  double ddr_read_free_ = 0;  // when the memory is done with what was asked of it
  double ddr_write_free_ = 0;
  SimReport report_;
};

}  // namespace wnpu::npu
