#include "npu/tensor/array_calls.h"

#include <algorithm>
#include <chrono>
#include <utility>

namespace wnpu::npu::ops {
namespace {

// A call of sizes as they are cut here takes a fraction of a second; modelled on the simulator.
constexpr std::chrono::milliseconds kTimeout{60000};
// More than an operation's calls have; a device has room for many instruction streams, not for all
// sizes that a long-lived process ever sees.
constexpr std::size_t kMostPrograms = 64;

// A program allocates for the arguments that it has.
const ArrayCall& call_of_most_arguments(const ArrayWork& work) {
  return *std::ranges::max_element(work.calls, {},
                                   [](const ArrayCall& call) { return call.arguments.size(); });
}

class Runner {
 public:
  Runner(const ArrayRun& run, const ArrayWork& work, const BufferPlan& plan, TensorReport& report)
      : run_(run),
        work_(work),
        report_(report),
        buffers_(plan, run.programs.of(call_of_most_arguments(work))) {}

  void run(const ArrayCall& call) {
    std::vector<Buffer*> arguments;
    for (const CallArgument& argument : call.arguments) {
      Buffer& buffer = buffers_[argument.use];
      arguments.push_back(&buffer);
      if (!argument.fill) continue;
      argument.fill(bytes_of(argument.use));
      buffer.to_device();
      report_.sent_bytes += work_.uses[argument.use].bytes;
    }
    run_.programs.of(call).run(arguments, kTimeout);
    ++report_.calls;
    const std::size_t result = call.arguments[call.result].use;
    buffers_[result].from_device();
    report_.fetched_bytes += work_.uses[result].bytes;
    call.take(bytes_of(result));
  }

 private:
  std::span<std::byte> bytes_of(std::size_t use) {
    return buffers_[use].host().first(work_.uses[use].bytes);
  }

  const ArrayRun& run_;
  const ArrayWork& work_;
  TensorReport& report_;
  DeviceBuffers buffers_;
};

}  // namespace

std::size_t ArrayWork::add_use(std::string name, std::size_t bytes, int argument) {
  uses.push_back({std::move(name), bytes, argument, calls.size(), calls.size()});
  return uses.size() - 1;
}

void ArrayWork::add_call(ArrayCall call) {
  for (const CallArgument& argument : call.arguments) uses[argument.use].last = calls.size();
  calls.push_back(std::move(call));
}

Program& ProgramCache::of(const ArrayCall& call) {
  const auto found = programs_.find(call.key);
  if (found != programs_.end()) return *found->second;
  std::unique_ptr<Program> program = device_.load(call.design());
  if (programs_.size() >= kMostPrograms) programs_.clear();
  return *programs_.emplace(call.key, std::move(program)).first->second;
}

void run_calls(const ArrayRun& run, const ArrayWork& work, TensorReport& report) {
  const BufferPlan plan = plan_buffers(work.uses);
  require_memory(run.memory_limit, plan.bytes(), report.operation);
  run.device.reset_stats();
  Runner runner(run, work, plan, report);
  for (const ArrayCall& call : work.calls) runner.run(call);
  const RunStats stats = run.device.stats();
  report.modelled_ms += stats.modelled_ms;
  report.ddr_bytes += stats.ddr_read_bytes + stats.ddr_write_bytes;
  report.memory_bytes = std::max(report.memory_bytes, stats.peak_buffer_bytes);
  report.apart_bytes += plan.apart_bytes;
}

}  // namespace wnpu::npu::ops
