#include "npu/ops/bench.h"

#include <algorithm>
#include <chrono>

#include "npu/design/resident.h"
#include "npu/ops/operand_values.h"

namespace wnpu::npu {
namespace {

constexpr double kPortBytes = 4;  // a cycle, of a stream (AM020 ch. 2: 32 bits)

// Time of the CPU reference, in microseconds.
double reference_time(const Operator& op, const Sizes& sizes, std::size_t runs) {
  std::vector<std::vector<float>> inputs, outputs;
  std::vector<const void*> in;
  std::vector<void*> out;
  for (const Operand& operand : op.inputs) {
    in.push_back(inputs.emplace_back(operand.elements(sizes), 0.5f).data());
  }
  for (const Operand& operand : op.outputs) {
    out.push_back(outputs.emplace_back(operand.elements(sizes)).data());
  }
  const std::vector<double> attributes = op.attribute_values();
  const CallArrays arrays(in, out);
  std::vector<double> times;
  for (std::size_t run = 0; run < runs; ++run) {
    const auto begin = std::chrono::steady_clock::now();
    op.reference(arrays.call(sizes, attributes));
    times.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin)
            .count());
  }
  std::ranges::nth_element(times, times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2));
  return times[times.size() / 2];
}

void add_table_cycles(const Operator& op, const KernelTable& table, OperatorTimes& times) {
  if (!op.phase) return;
  const PhaseHeader phase = op.phase(times.sizes);
  double cycles = 0;
  for (const Task task : op.tasks) cycles += task_cycles(phase, task, table);
  times.table_cycles = cycles;
  for (Rate KernelTable::*rate : op.rates) times.rates.push_back(table.*rate);
  times.rates.push_back(table.call_cycles);
}

void add_bytes(const Operator& op, OperatorTimes& times) {
  std::uint64_t longest = 0;
  for (const Operand& operand : op.inputs) {
    times.bytes_in += operand.bytes(times.sizes);
    longest = std::max(longest, std::uint64_t{operand.bytes(times.sizes)});
  }
  for (const Operand& operand : op.outputs) {
    times.bytes_out += operand.bytes(times.sizes);
    longest = std::max(longest, std::uint64_t{operand.bytes(times.sizes)});
  }
  times.stream_cycles = static_cast<double>(longest) / kPortBytes;
}

}  // namespace

Sizes usual_sizes(const Operator& op) {
  const std::size_t most = op.sizes.size() == 1 ? op.sizes[0].most : 64;
  Sizes sizes;
  for (const OperatorSize& size : op.sizes) {
    sizes.push_back(
        std::max(std::min(most, size.most) / size.multiple * size.multiple, size.multiple));
  }
  while (!op.size_fault(sizes).empty()) {
    const auto longest = std::ranges::max_element(sizes);
    OperatorSize const& size = op.sizes[static_cast<std::size_t>(longest - sizes.begin())];
    if (*longest <= size.multiple) break;
    *longest = std::max(*longest / 2 / size.multiple * size.multiple, std::uint64_t{size.multiple});
  }
  return sizes;
}

OperatorTimes bench(const Operator& op, const TimePreset& preset, const Sizes& sizes,
                    std::size_t runs) {
  const std::string fault = op.size_fault(sizes);
  if (!fault.empty()) throw OperatorError(op.name + ": " + fault);
  OperatorTimes times;
  times.sizes = sizes;
  times.runs = std::max<std::size_t>(runs, 1);
  add_bytes(op, times);
  add_table_cycles(op, preset.kernels, times);
  if (op.cost) times.cost = op.cost(sizes);
  std::optional<double> cycles = times.table_cycles;
  if (!cycles && times.cost) cycles = times.cost->cycles + preset.kernels.call_cycles.value;
  times.is_lower_bound =
      !times.table_cycles && times.cost && times.cost->provenance == Provenance::counted;
  if (cycles) times.modelled_us = std::max(*cycles, times.stream_cycles) / preset.clock_ghz / 1e3;
  times.reference_us = reference_time(op, sizes, times.runs);
  return times;
}

}  // namespace wnpu::npu
