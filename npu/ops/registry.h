// All operators by name: those that are built in, and those that were added from outside.
#pragma once

#include <memory>
#include <string_view>
#include <vector>

#include "npu/ops/operator.h"

namespace wnpu::npu {

class OperatorRegistry {
 public:
  OperatorRegistry();  // with what is built in

  // Throws OperatorError for a name that is there already.
  void add(std::shared_ptr<const Operator> op);
  std::shared_ptr<const Operator> find(std::string_view name) const;  // null where there is none
  const std::vector<std::shared_ptr<const Operator>>& all() const { return operators_; }

 private:
  std::vector<std::shared_ptr<const Operator>> operators_;
};

}  // namespace wnpu::npu
