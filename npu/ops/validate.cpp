#include "npu/ops/validate.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "npu/ops/operand_values.h"

namespace wnpu::npu {
namespace {

constexpr double kSmallestNormal = 0x1p-126;
constexpr double kInfinity = std::numeric_limits<double>::infinity();

// SplitMix64 (Steele, Lea, Flood): the same numbers everywhere.
class SplitMix64 {
 public:
  explicit SplitMix64(std::uint64_t seed) : state_(seed) {}
  std::uint64_t next() {
    std::uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30u)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27u)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31u);
  }
  std::size_t below(std::size_t n) { return next() % n; }
  double within(double low, double high) {
    return low + (high - low) * static_cast<double>(next() >> 11u) * 0x1p-53;
  }
  double sign() { return (next() & 1u) != 0 ? 1.0 : -1.0; }

 private:
  std::uint64_t state_;
};

enum class DrawnValues { ordinary, wide, zero, denormal, large, beyond, infinity, nan };
constexpr std::array<std::string_view, 8> kDrawnNames{"ordinary", "wide",   "zero",     "denormal",
                                                      "large",    "beyond", "infinity", "NaN"};

bool is_float(ElementType type) {
  return type == ElementType::float32 || type == ElementType::bfloat16;
}

double drawn_integer(ElementType type, DrawnValues values, SplitMix64& random) {
  if (values == DrawnValues::zero) return 0;
  if (type == ElementType::int32) return std::floor(random.within(-0x1p24, 0x1p24));
  if (values == DrawnValues::large) return random.sign() > 0 ? 127 : -128;
  return static_cast<double>(random.below(256)) - 128;
}

double drawn(ElementType type, DrawnValues values, double largest, SplitMix64& random) {
  if (!is_float(type)) return drawn_integer(type, values, random);
  const double most = largest > 0 ? std::min(largest, largest_of(type)) : largest_of(type);
  switch (values) {
    case DrawnValues::zero:
      return 0;
    case DrawnValues::wide:
      return random.sign() * std::exp2(random.within(-30, std::log2(std::min(most, 0x1p20))));
    case DrawnValues::denormal:
      if (random.below(2) == 0) return random.sign() * random.within(0x1p-133, 0x1p-127);
      break;
    case DrawnValues::large:
      return random.within(-most, most);
    case DrawnValues::beyond:
      return random.sign() * random.within(0x1p120, largest_of(type));
    default:
      break;
  }
  return random.within(-std::min(4.0, most), std::min(4.0, most));
}

// Operands of a validation, equal for tile kernel, exact result and reference.
struct OperandArrays {
  std::vector<OperandBuffer> tiles;
  std::vector<std::vector<double>> doubles;
  std::vector<std::vector<float>> floats;
};

template <typename F>
void fill(const std::vector<Operand>& list, const Sizes& sizes, OperandArrays& operands, F value) {
  for (const Operand& operand : list) {
    OperandBuffer& tile = operands.tiles.emplace_back(operand, sizes);
    auto& doubles = operands.doubles.emplace_back(tile.size());
    for (std::size_t i = 0; i < tile.size(); ++i) {
      value(operand, tile, i);
      doubles[i] = tile.get(i);
    }
    operands.floats.emplace_back(doubles.begin(), doubles.end());
  }
}

// One element of one operand of floats.
void place_one(const Operator& op, double value, OperandArrays& inputs, SplitMix64& random) {
  std::vector<std::size_t> of_floats;
  for (std::size_t i = 0; i < op.inputs.size(); ++i) {
    if (is_float(op.inputs[i].type)) of_floats.push_back(i);
  }
  const std::size_t i = of_floats[random.below(of_floats.size())];
  const std::size_t at = random.below(inputs.tiles[i].size());
  inputs.tiles[i].set(at, value);
  inputs.doubles[i][at] = value;
  inputs.floats[i][at] = static_cast<float>(value);
}

OperandArrays inputs_of(const Operator& op, const Sizes& sizes, DrawnValues values,
                        SplitMix64& random) {
  OperandArrays inputs;
  fill(op.inputs, sizes, inputs, [&](const Operand& operand, OperandBuffer& tile, std::size_t i) {
    tile.set(i, drawn(operand.type, values, op.largest, random));
  });
  const double sign = random.sign();
  if (values == DrawnValues::infinity) place_one(op, sign * kInfinity, inputs, random);
  if (values == DrawnValues::nan) {
    place_one(op, std::numeric_limits<double>::quiet_NaN(), inputs, random);
  }
  return inputs;
}

OperandArrays no_outputs(const Operator& op, const Sizes& sizes) {
  OperandArrays outputs;
  fill(op.outputs, sizes, outputs, [](const Operand&, OperandBuffer&, std::size_t) {});
  return outputs;
}

class Validator {
 public:
  Validator(const Operator& op, const Sizes& sizes)
      : op_(op), sizes_(sizes), attributes_(op.attribute_values()) {}

  void run(DrawnValues values, SplitMix64& random, ValueResult& result) {
    inputs_ = inputs_of(op_, sizes_, values, random);
    outputs_ = no_outputs(op_, sizes_);
    magnitudes_.clear();
    for (const auto& output : outputs_.doubles) magnitudes_.emplace_back(output.size());
    run_all();
    for (std::size_t o = 0; o < op_.outputs.size(); ++o) compare(o, result);
  }

 private:
  void run_all() {
    op_.exact(
        CallArrays::of(inputs_.doubles, outputs_.doubles, magnitudes_).call(sizes_, attributes_));
    op_.reference(CallArrays::of(inputs_.floats, outputs_.floats).call(sizes_, attributes_));
    if (op_.tile) op_.tile(CallArrays::of(inputs_.tiles, outputs_.tiles).call(sizes_, attributes_));
  }

  // An element of a result, as it should be.
  struct Element {
    const Operand& operand;
    std::size_t at;
    double exact;
    double allowed;
  };

  void compare(std::size_t o, ValueResult& result) {
    const Operand& operand = op_.outputs[o];
    const ErrorBound bound = operand.bound(sizes_);
    for (std::size_t i = 0; i < outputs_.doubles[o].size(); ++i) {
      const double exact = outputs_.doubles[o][i];
      const double magnitude = std::max(std::abs(exact), magnitudes_[o][i]);
      const double allowed = bound.absolute + bound.relative * magnitude + kSmallestNormal;
      const Element element{operand, i, exact, allowed};
      const double reference = outputs_.floats[o][i];
      note(element, reference, ElementType::float32, result.reference);
      if (!op_.tile) continue;
      const double tile = outputs_.tiles[o].get(i);
      note(element, tile, operand.type, result.tile);
      if (std::isfinite(tile - reference)) {
        result.apart = std::max(result.apart, std::abs(tile - reference));
      }
    }
  }

  // How far `found` is off: infinite where it is of another class than the exact value.
  double error_of(double exact, double found, ElementType type) const {
    if (std::isnan(exact)) return std::isnan(found) || !op_.keeps_nan ? 0 : kInfinity;
    if (std::abs(exact) > largest_of(type)) {
      const bool is_kept = std::abs(found) >= largest_of(type) / 2 && found * exact > 0;
      return is_kept || !op_.keeps_nan ? 0 : kInfinity;
    }
    if (!std::isfinite(found)) return kInfinity;
    return std::max(0.0, std::abs(found - exact) - half_step(type, found));
  }

  void note(const Element& element, double found, ElementType type, Deviation& deviation) const {
    const double error = error_of(element.exact, found, type);
    const bool is_out = std::isfinite(error) && error > 0;
    // 0 and infinite stay so, whatever is allowed.
    const double share = is_out ? error / element.allowed : error;
    if (share > 1 && deviation.fault.empty()) {
      deviation.fault = element.operand.name + "[" + std::to_string(element.at) + "] of " +
                        op_.sizes_text(sizes_) + ": expected " + std::to_string(element.exact) +
                        ", found " + std::to_string(found);
    }
    deviation.error = std::max(deviation.error, error);
    deviation.share = std::max(deviation.share, share);
  }

  const Operator& op_;
  const Sizes& sizes_;
  std::vector<double> attributes_;
  OperandArrays inputs_, outputs_;
  std::vector<std::vector<double>> magnitudes_;
};

// Kinds of values that are drawn: special ones for operators with float inputs alone, those beyond
// `largest` for operators that state one.
bool is_drawn(const Operator& op, DrawnValues values) {
  const bool has_floats =
      std::ranges::any_of(op.inputs, [](const Operand& operand) { return is_float(operand.type); });
  if (values == DrawnValues::beyond && op.largest == 0) return false;
  return has_floats || values == DrawnValues::ordinary || values == DrawnValues::zero ||
         values == DrawnValues::large;
}

bool is_promised(const Operator& op, DrawnValues values) {
  if (values == DrawnValues::beyond) return false;
  return op.keeps_nan || (values != DrawnValues::infinity && values != DrawnValues::nan);
}

std::uint64_t bytes_moved(const Operator& op, const Sizes& sizes) {
  std::uint64_t bytes = 0;
  for (const Operand& operand : op.inputs) bytes += operand.bytes(sizes);
  for (const Operand& operand : op.outputs) bytes += operand.bytes(sizes);
  return bytes;
}

}  // namespace

std::vector<Sizes> shapes_of(const Operator& op, std::size_t random, std::uint64_t seed) {
  Sizes smallest;
  for (const OperatorSize& size : op.sizes) smallest.push_back(size.multiple);
  std::vector<Sizes> shapes{smallest};
  for (std::size_t i = 0; i < smallest.size(); ++i) {
    Sizes longest = smallest;
    longest[i] = op.sizes[i].most / op.sizes[i].multiple * op.sizes[i].multiple;
    while (!op.size_fault(longest).empty() && longest[i] > op.sizes[i].multiple) {
      longest[i] -= op.sizes[i].multiple;
    }
    shapes.push_back(longest);
  }
  SplitMix64 numbers(seed);
  constexpr std::size_t kTries = 100;
  for (std::size_t tries = 0; tries < kTries * random && random > 0; ++tries) {
    Sizes sizes;
    for (const OperatorSize& size : op.sizes) {
      const std::uint64_t steps = size.most / size.multiple;
      const double most = std::log2(static_cast<double>(steps) + 1);
      const auto drawn = static_cast<std::uint64_t>(std::exp2(numbers.within(0, most)));
      sizes.push_back(size.multiple * drawn);
    }
    if (!op.size_fault(sizes).empty()) continue;
    shapes.push_back(sizes);
    --random;
  }
  return shapes;
}

bool Validation::holds() const {
  return std::ranges::all_of(values, [](const ValueResult& result) {
    return !result.is_bound || (result.tile.share <= 1 && result.reference.share <= 1);
  });
}

Validation validate(const Operator& op, const ValidationOptions& options) {
  std::vector<Sizes> shapes;
  if (options.sizes) {
    const std::string fault = op.size_fault(*options.sizes);
    if (!fault.empty()) throw OperatorError(op.name + ": " + fault);
    shapes = {*options.sizes};
  } else {
    shapes = shapes_of(op, options.shapes, options.seed);
  }
  Validation validation{static_cast<bool>(op.tile), {}, {}};
  SplitMix64 random(options.seed);
  for (std::size_t i = 0; i < kDrawnNames.size(); ++i) {
    const auto values = static_cast<DrawnValues>(i);
    if (!is_drawn(op, values)) continue;
    ValueResult& result = validation.values.emplace_back();
    result.values = kDrawnNames[i];
    result.is_bound = is_promised(op, values);
    for (const Sizes& sizes : shapes) Validator(op, sizes).run(values, random, result);
  }
  for (const Sizes& sizes : shapes) {
    validation.shapes.push_back(
        {sizes, bytes_moved(op, sizes), op.cost ? op.cost(sizes) : std::nullopt});
  }
  return validation;
}

}  // namespace wnpu::npu
