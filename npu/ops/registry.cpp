#include "npu/ops/registry.h"

#include <utility>

#include "npu/ops/entries.h"

namespace wnpu::npu {

OperatorRegistry::OperatorRegistry() {
  for (const auto make : {entries::product_operators, entries::row_operators}) {
    for (Operator& op : make()) add(std::make_shared<const Operator>(std::move(op)));
  }
}

void OperatorRegistry::add(std::shared_ptr<const Operator> op) {
  if (const auto known = find(op->name)) {
    throw OperatorError(op->source + ": operator " + op->name +
                        ": expected a name of its own, found one that is " + known->source);
  }
  operators_.push_back(std::move(op));
}

std::shared_ptr<const Operator> OperatorRegistry::find(std::string_view name) const {
  for (const auto& op : operators_) {
    if (op->name == name) return op;
  }
  return nullptr;
}

}  // namespace wnpu::npu
