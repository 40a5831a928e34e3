// An operation as calls of the array, one after the other, and the buffers they work in.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "npu/design/design.h"
#include "npu/device.h"
#include "npu/memory/buffer_plan.h"
#include "npu/tensor/tensor.h"

namespace wnpu::npu::ops {

// An argument of a call: a use of the work's, and what is written to it before the call. Empty:
// what an earlier call of the work has sent or made stays.
struct CallArgument {
  std::size_t use = 0;
  std::function<void(std::span<std::byte>)> fill = {};
};

struct ArrayCall {
  std::string key;  // the same for the same Design
  std::function<Design()> design;
  std::vector<CallArgument> arguments;
  std::size_t result = 0;                                // which argument is read afterwards
  std::function<void(std::span<const std::byte>)> take;  // what becomes of it
};

// Steps of the uses are calls.
struct ArrayWork {
  std::vector<BufferUse> uses;
  std::vector<ArrayCall> calls;

  std::size_t add_use(std::string name, std::size_t bytes, int argument);
  // Adds a call, which its arguments are needed for.
  void add_call(ArrayCall call);
};

// The programs of one device: each is checked and compiled, or found in the manifest, once.
class ProgramCache {
 public:
  explicit ProgramCache(Device& device) : device_(device) {}
  Program& of(const ArrayCall& call);

 private:
  Device& device_;
  std::map<std::string, std::unique_ptr<Program>> programs_;
};

// Runs all. Throws DeviceError: where the buffers take more than the limit, before anything is
// allocated. Adds to the report.
struct ArrayRun {
  Device& device;
  ProgramCache& programs;
  std::optional<std::size_t> memory_limit;
};
void run_calls(const ArrayRun& run, const ArrayWork& work, TensorReport& report);

}  // namespace wnpu::npu::ops
