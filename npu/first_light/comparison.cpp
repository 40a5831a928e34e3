#include <algorithm>
#include <array>

#include "npu/first_light/steps.h"

namespace wnpu::npu {
namespace {

constexpr std::array kBoth{Values::ordinary, Values::hostile};
constexpr std::byte kPoison{0xff};  // NaN: what a call leaves alone stays so on both sides
constexpr std::uint64_t kSeed = 2026;

constexpr std::size_t kInputArgument = index_of(LayerArgument::input);
constexpr std::size_t kWeightsArgument = index_of(LayerArgument::weights);
constexpr std::size_t kScratchArgument = index_of(LayerArgument::scratch);
constexpr std::size_t kOutputArgument = index_of(LayerArgument::output);

std::string name_of(Values values) {
  return std::string(kValuesNames[static_cast<std::size_t>(values)]);
}

// The layers of an encoder in a row: states go to and fro between two buffers.
class LayersInARow {
 public:
  LayersInARow(CallSet& calls, std::span<const LayerInputs> layers) : calls_(calls) {
    for (const LayerInputs& layer : layers) {
      weights_.push_back(calls.another(kWeightsArgument));
      std::copy(layer.weights.begin(), layer.weights.end(), weights_.back()->host().begin());
      weights_.back()->to_device();
    }
    calls.write(kInputArgument, layers.front().states);
  }

  std::vector<Run> runs() {
    std::vector<Run> list;
    for (std::size_t i = 0; i < weights_.size(); ++i) {
      Run run = calls_.run_of(0);
      run.arguments[kInputArgument] = &calls_.buffer(i % 2 == 0 ? kInputArgument : kOutputArgument);
      run.arguments[kWeightsArgument] = weights_[i].get();
      run.arguments[kOutputArgument] =
          &calls_.buffer(i % 2 == 0 ? kOutputArgument : kInputArgument);
      list.push_back(std::move(run));
    }
    return list;
  }
  // The argument that the last layer wrote.
  std::size_t last() const { return weights_.size() % 2 == 1 ? kOutputArgument : kInputArgument; }

 private:
  CallSet& calls_;
  std::vector<std::unique_ptr<Buffer>> weights_;
};

}  // namespace

Comparison::Comparison(Device& device, Device& reference, const LayerGeometry& geometry,
                       const FirstLightOptions& options, FirstLight& result)
    : device_(device),
      reference_(reference),
      geometry_(geometry),
      options_(options),
      result_(result),
      timer_(device, options.runs, options.timeout) {}

void Comparison::run(StepResult& step) {
  switch (step.step) {
    case FirstLightStep::kernel:
      return run_product(step, tile_problem(*geometry_.target), tile_call(*geometry_.target));
    case FirstLightStep::product:
      return run_product(step, product_problem(geometry_), product_call(geometry_));
    case FirstLightStep::batched:
      return run_layer(step, batched_calls(geometry_));
    case FirstLightStep::fused:
      return run_layer(step, {fused_call(geometry_)});
    case FirstLightStep::encoder:
      return run_encoder(step);
    case FirstLightStep::measure:
      return;
  }
}

bool Comparison::add(StepResult& step, Check check) const {
  const bool is_equal = check.differences.empty();
  if (!is_equal) step.status = StepStatus::failed;
  step.checks.push_back(std::move(check));
  return is_equal || options_.keeps_going;
}

void Comparison::time(const std::string& name, std::span<const Run> list) {
  result_.times.push_back(timer_.time(name, list));
}

void Comparison::run_product(StepResult& step, const GemmProblem& problem,
                             const NamedDesign& call) {
  CallSet tested(device_, {&call, 1});
  CallSet expected(reference_, {&call, 1});
  const ComparedRegion region = product_region(problem);
  for (const Values values : kBoth) {
    for (std::size_t operand = 0; operand < region.argument; ++operand) {
      std::vector<std::byte> bytes(call.design.memories[operand].bytes);
      fill_numbers(bytes, values, kSeed + operand);
      tested.write(operand, bytes);
      expected.write(operand, bytes);
    }
    for (CallSet* set : {&tested, &expected}) {
      set->fill(region.argument, kPoison);
      set->run(0, options_.timeout);
    }
    Check check{call.name, name_of(values), region.elements(), {}};
    auto found = compare(region, expected.read(region.argument), tested.read(region.argument));
    if (found) {
      found->place = place_in_product(problem, found->element);
      check.differences.push_back(std::move(*found));
    }
    if (!add(step, std::move(check))) return;
  }
  const Run run = tested.run_of(0);
  time(call.name, {&run, 1});
}

Check Comparison::check_call(Pair pair, std::size_t index, const std::string& name, Values values) {
  pair.reference.run(index, options_.timeout);
  pair.device.run(index, options_.timeout);
  Check check{name, name_of(values), 0, {}};
  for (const std::size_t argument : {kScratchArgument, kOutputArgument}) {
    const auto expected = pair.reference.read(argument);
    const auto found = pair.device.read(argument);
    for (const ComparedRegion& region : layer_regions(geometry_)) {
      if (region.argument != argument) continue;
      check.compared += region.elements();
      auto difference = compare(region, expected, found);
      if (!difference) continue;
      difference->place = place_in_layer(geometry_, region, difference->element);
      check.differences.push_back(std::move(*difference));
    }
    // The next call begins with the same as the simulator's.
    if (!check.differences.empty()) pair.device.write(argument, expected);
  }
  return check;
}

void Comparison::run_layer(StepResult& step, const std::vector<NamedDesign>& calls) {
  CallSet tested(device_, calls);
  CallSet expected(reference_, calls);
  for (const Values values : kBoth) {
    const LayerInputs inputs = layer_inputs(geometry_, values, kSeed);
    for (CallSet* set : {&tested, &expected}) {
      set->write(kInputArgument, inputs.states);
      set->write(kWeightsArgument, inputs.weights);
      set->fill(kScratchArgument, kPoison);
      set->fill(kOutputArgument, kPoison);
    }
    for (std::size_t i = 0; i < calls.size(); ++i) {
      if (!add(step, check_call({tested, expected}, i, calls[i].name, values))) return;
    }
  }
  for (std::size_t i = 0; i < calls.size(); ++i) {
    const Run run = tested.run_of(i);
    time(calls[i].name, {&run, 1});
  }
}

// Mean power over many runs, one after the other, from the NPU's sensor.
void Comparison::sample_power(std::span<const Run> list) {
  double sum = 0;
  for (std::size_t i = 0; i < options_.runs; ++i) {
    device_.run_all(list, options_.timeout);
    const std::optional<double> watts = npu_watts();
    if (!watts) return;
    sum += *watts;
  }
  if (options_.runs > 0) result_.watts = sum / static_cast<double>(options_.runs);
}

void Comparison::run_encoder(StepResult& step) {
  const std::vector<NamedDesign> calls{fused_call(geometry_)};
  CallSet tested(device_, calls);
  CallSet expected(reference_, calls);
  for (const Values values : kBoth) {
    std::vector<LayerInputs> layers;
    for (std::size_t i = 0; i < options_.layers; ++i) {
      layers.push_back(layer_inputs(geometry_, values, kSeed + i));
    }
    LayersInARow on_device(tested, layers);
    LayersInARow on_reference(expected, layers);
    device_.run_all(on_device.runs(), options_.timeout);
    reference_.run_all(on_reference.runs(), options_.timeout);
    const ComparedRegion region{"states after " + std::to_string(layers.size()) + " layers",
                                on_device.last(), 0, geometry_.states_bytes};
    Check check{"layers in a row", name_of(values), region.elements(), {}};
    auto found = compare(region, expected.read(region.argument), tested.read(region.argument));
    if (found) {
      const ComparedRegion output = layer_regions(geometry_).back();
      found->place = place_in_layer(geometry_, output, found->element);
      check.differences.push_back(std::move(*found));
    }
    if (!add(step, std::move(check))) return;
    if (values != Values::ordinary) continue;
    time("layers in a row", on_device.runs());
    if (!device_.is_simulated()) sample_power(on_device.runs());
  }
}

}  // namespace wnpu::npu
