#include "tests/xdna_mock/array_executor.h"

#include <cstring>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <tuple>

#include "npu/design/overlay.h"
#include "npu/first_light/microbenchmarks/microbenchmarks.h"
#include "npu/plans/plan.h"
#include "npu/sim/compile_call.h"
#include "npu/sim/simulator.h"

namespace wnpu::tests {
namespace {

constexpr std::uint32_t kMagic = 0x4e505557;  // "WUPN"
constexpr std::size_t kWords = 13;

npu::Design adder_design(std::size_t n_elements) {
  npu::Design design;
  design.name = "adder";
  design.target = &npu::npu1();
  npu::add_overlay(design);
  for (const char* name : {"a", "b", "out"}) {
    npu::Memory argument;
    argument.name = name;
    argument.is_argument = true;
    argument.bytes = n_elements * sizeof(std::int32_t);
    design.memories.push_back(argument);
  }
  return design;
}

std::uint32_t element(std::span<const std::byte> bytes, std::size_t i) {
  std::uint32_t value = 0;  // unsigned: memory that was never synced holds anything
  std::memcpy(&value, bytes.data() + i * sizeof(value), sizeof(value));
  return value;
}

void add(std::span<const std::span<std::byte>> arguments, std::size_t n_elements) {
  for (std::size_t i = 0; i < n_elements; ++i) {
    const std::uint32_t sum = element(arguments[0], i) + element(arguments[1], i);
    std::memcpy(arguments[2].data() + i * sizeof(sum), &sum, sizeof(sum));
  }
}

StandInCall from_stream(std::span<const std::uint32_t> stream) {
  if (stream.size() != kWords || stream[0] != kMagic) {
    throw std::runtime_error("no stream of the stand-in's kind");
  }
  StandInCall call;
  call.shape = {stream[1], stream[2], stream[3], stream[4]};
  call.precision = static_cast<npu::Precision>(stream[5]);
  call.layer = {static_cast<npu::LayerOp>(stream[6]), static_cast<npu::LayerOp>(stream[7]),
                stream[8] != 0};
  call.adder_elements = stream[9];
  call.trial = stream[10];
  return call;
}

npu::LayerGeometry geometry_of(const npu::LayerShape& shape, npu::Precision precision) {
  return npu::layer_geometry(npu::npu1(), shape, precision);
}

// Kept: to make one of them is to make all.
const std::vector<npu::NamedDesign>& trial_calls_of(const npu::LayerShape& s,
                                                    npu::Precision precision) {
  static std::mutex mutex;
  static std::map<std::tuple<std::size_t, std::size_t, std::size_t, std::size_t, npu::Precision>,
                  std::vector<npu::NamedDesign>>
      made;
  const std::scoped_lock lock(mutex);
  auto& calls = made[{s.frames, s.width, s.heads, s.hidden, precision}];
  if (calls.empty()) calls = npu::trial_calls(geometry_of(s, precision));
  return calls;
}

}  // namespace

npu::Design design_of(const StandInCall& call) {
  if (call.adder_elements != 0) return adder_design(call.adder_elements);
  if (call.trial != 0) return trial_calls_of(call.shape, call.precision).at(call.trial - 1).design;
  return npu::layer_design(geometry_of(call.shape, call.precision), call.layer);
}

std::vector<StandInCall> calls_of_first_light(const npu::LayerShape& shape) {
  std::vector<StandInCall> all;
  for (std::size_t i = 0; i < trial_calls_of(shape, npu::Precision::bf16).size(); ++i) {
    all.push_back({shape, npu::Precision::bf16, {}, 0, i + 1});
  }
  return all;
}

std::vector<StandInCall> calls_of_model(const npu::LayerShape& shape, npu::Precision precision) {
  std::vector<npu::LayerCall> layers = npu::product_calls();
  for (const npu::Plan plan : {npu::Plan::fused, npu::Plan::batched}) {
    const auto calls = npu::layer_calls(plan);
    layers.insert(layers.end(), calls.begin(), calls.end());
  }
  std::vector<StandInCall> all;
  all.reserve(layers.size());
  for (const npu::LayerCall& layer : layers) all.push_back({shape, precision, layer, 0, 0});
  return all;
}

std::vector<std::uint32_t> to_stream(const StandInCall& call) {
  const std::uint64_t hash = npu::design_hash(design_of(call));
  const auto word = [](auto value) { return static_cast<std::uint32_t>(value); };
  return {kMagic,
          word(call.shape.frames),
          word(call.shape.width),
          word(call.shape.heads),
          word(call.shape.hidden),
          word(call.precision),
          word(call.layer.first),
          word(call.layer.last),
          word(call.layer.with_gelu),
          word(call.adder_elements),
          word(call.trial),
          word(hash),
          word(hash >> 32)};
}

void execute(std::span<const std::uint32_t> stream,
             std::span<const std::span<std::byte>> arguments) {
  const StandInCall call = from_stream(stream);
  const npu::Design design = design_of(call);
  if (to_stream(call) != std::vector<std::uint32_t>(stream.begin(), stream.end())) {
    throw std::runtime_error("the stream was made for another version of " + design.name);
  }
  if (arguments.size() < design.n_arguments()) {
    throw std::runtime_error(design.name + ": " + std::to_string(arguments.size()) + " arguments");
  }
  std::vector<std::span<std::byte>> memory;
  for (std::size_t i = 0; i < design.n_arguments(); ++i) {
    if (arguments[i].size() < design.memories[i].bytes) {
      throw std::runtime_error(design.name + ": argument " + std::to_string(i) + " is too short");
    }
    memory.push_back(arguments[i].first(design.memories[i].bytes));
  }
  if (call.adder_elements != 0) return add(memory, call.adder_elements);
  const npu::HardwareModel preset = npu::find_preset("phoenix-1.0/published");
  npu::WorkerPool pool(2);
  const npu::ControlProgram program = npu::compile_call(design, preset).program.program;
  npu::simulate(npu::encoded_call(design, program), {.preset = &preset}, {memory, &pool});
}

}  // namespace wnpu::tests
