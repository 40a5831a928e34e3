// Costs of every way to divide the encoder's work, by the time model: modelled, never measured.
// Each device has the preset's memory to itself; the host's memory moves what is handed from device
// to device at the rate at which the preset's memory is read, three bytes for each byte handed over
// (bf16, and the fp32 that the host adds up in): a bound from below, since no published figure says
// what the host takes for it. [A]
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npu/design/target.h"
#include "npu/plans/plan_file.h"
#include "npu/plans/plan_model.h"
#include "npu/plans/split.h"

namespace wnpu::npu {

struct SplitCost {
  Split split = Split::windows;
  std::string refusal;                // why it cannot be; empty: it can, and what follows counts
  double modelled_ms = 0;             // until all windows are done
  std::uint64_t exchanged_bytes = 0;  // synced for states that pass between devices
  std::uint64_t device_bytes = 0;     // of buffers, the most that one device holds
};

class SplitModel {
 public:
  // By `tuned` where it is given, else by `plan`; it and the preset must outlive the model.
  SplitModel(const EncoderShape& shape, std::size_t frames, Precision precision, Plan plan,
             const std::optional<PlanFile>& tuned, const HardwareModel& preset);

  // Time of a window on one device, transfer of its states in and out included. Throws
  // std::invalid_argument for plans of which the CPU does a part.
  double window_ms();
  // A row of every split, for windows that are there at once. memory_bytes: that a device has for
  // buffers; 0: enough.
  std::vector<SplitCost> costs(std::size_t n_devices, std::size_t n_windows,
                               std::uint64_t memory_bytes = 0);

 private:
  struct Layer {
    double ms = 0;  // launches included
    std::uint64_t weights_bytes = 0;
    std::uint64_t other_bytes = 0;  // of buffers, whatever the number of layers
    std::size_t n_calls = 0;
  };
  const Layer& whole();
  // Slowest part of a layer divided among the devices, both calls.
  const Layer& part(std::size_t n_devices);
  double host_ms(std::uint64_t bytes) const;
  // Throws std::invalid_argument where it cannot be.
  void cost(std::size_t n_devices, std::size_t n_windows, SplitCost& cost);
  void cost_windows(std::size_t n_devices, std::size_t n_windows, SplitCost& cost);
  void cost_layers(std::size_t n_devices, std::size_t n_windows, SplitCost& cost);
  void cost_heads(std::size_t n_devices, std::size_t n_windows, SplitCost& cost);

  EncoderShape shape_;
  LayerShape layer_shape_;
  Precision precision_;
  Plan plan_;
  const std::optional<PlanFile>& tuned_;
  const HardwareModel& preset_;
  std::uint64_t states_bytes_ = 0;
  std::optional<Layer> whole_;
  std::map<std::size_t, Layer> parts_;  // by the number of devices
};

// The least time of those that can be; of equal ones the first. Throws std::invalid_argument, with
// every refusal, where none can.
const SplitCost& best_split(std::span<const SplitCost> costs);

// "4 windows on 2 devices: windows 274.1 ms, layers ..., modelled".
std::string split_reason(std::span<const SplitCost> costs, std::size_t n_devices,
                         std::size_t n_windows);

}  // namespace wnpu::npu
