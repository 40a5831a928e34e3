// Every operator keeps its stated bound against fp64, over shapes and values; and validation finds
// operators that do not.
#include "npu/ops/validate.h"

#include <cmath>
#include <limits>
#include <string>

#include <doctest/doctest.h>

#include "npu/kernel/bf16.h"
#include "npu/ops/registry.h"

namespace {

using namespace wnpu::npu;  // NOLINT

const OperatorRegistry& registry() {
  static const OperatorRegistry kRegistry;
  return kRegistry;
}

// The operator with every element of its tile kernel's result, bfloat16, changed by `change`.
Operator changed_operator(const std::string& name, double (*change)(double)) {
  Operator op = *registry().find(name);
  op.tile = [tile = op.tile, y = op.outputs[0], n = op.sizes.size(),
             change](const OperatorCall& call) {
    tile(call);
    auto* const values = static_cast<bfloat16*>(call.outputs[0]);
    for (std::size_t i = 0; i < y.elements({call.sizes, call.sizes + n}); ++i) {
      values[i] = to_bfloat16(static_cast<float>(change(to_float(values[i]))));
    }
  };
  return op;
}

}  // namespace

TEST_CASE("operators: each keeps its bound over shapes and hostile values") {
  for (const auto& op : registry().all()) {
    const Validation validation = validate(*op, {.shapes = 12, .seed = 7});
    CAPTURE(op->name);
    CHECK(validation.has_tile == (op->name != "softmax"));  // which no kernel was written for
    for (const ValueResult& result : validation.values) {
      CAPTURE(result.values);
      if (!result.is_bound) continue;
      CHECK_MESSAGE(result.tile.share <= 1, "tile: ", result.tile.fault);
      CHECK_MESSAGE(result.reference.share <= 1, "reference: ", result.reference.fault);
    }
    CHECK(validation.holds());
  }
}

TEST_CASE("operators: a kernel that is a little off, loses NaN or infinity is found") {
  struct Change {
    const char* name;
    double (*change)(double);
    std::string_view values;  // in which it shows
  };
  const Change changes[] = {
      {"bias", [](double y) { return y * 1.03; }, "wide"},
      {"layer_norm", [](double y) { return y + 0.5; }, "ordinary"},
      {"attention", [](double y) { return y * 0.97; }, "ordinary"},
      {"gelu", [](double y) { return std::isinf(y) ? 1.0 : y; }, "infinity"},
      {"bias_residual", [](double y) { return std::isnan(y) ? 0.0 : y; }, "NaN"},
      {"bias", [](double) { return std::numeric_limits<double>::quiet_NaN(); }, "zero"},
  };
  for (const Change& c : changes) {
    CAPTURE(std::string(c.name));
    const Operator op = changed_operator(c.name, c.change);
    const Validation validation = validate(op, {.shapes = 12, .seed = 3});
    CHECK_FALSE(validation.holds());
    for (const ValueResult& result : validation.values) {
      if (result.values != c.values) continue;
      CHECK(result.tile.share > 1);
      CHECK(result.tile.fault.find("expected") != std::string::npos);
      CHECK(result.reference.share <= 1);
    }
  }
}

TEST_CASE("operators: shapes of a validation fit a core and reach its ends") {
  for (const auto& op : registry().all()) {
    CAPTURE(op->name);
    const auto shapes = shapes_of(*op, 20, 5);
    CHECK(shapes.size() == 1 + op->sizes.size() + 20);
    for (const Sizes& sizes : shapes) CHECK(op->size_fault(sizes) == "");
    for (std::size_t i = 0; i < op->sizes.size(); ++i) {
      Sizes longer = shapes[1 + i];
      longer[i] += op->sizes[i].multiple;
      CHECK(op->size_fault(longer) != "");
      Sizes odd = shapes[0];
      odd[i] += op->sizes[i].multiple > 1 ? 1 : op->sizes[i].most;
      CHECK(op->size_fault(odd) != "");
    }
  }
}
