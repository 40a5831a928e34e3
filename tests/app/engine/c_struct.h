// A struct of the C interface with its defaults.
#pragma once

#include <cstring>

#include "app/engine/c/options.h"

namespace wnpu::tests {

// What was in it before does not matter.
template <typename C>
C initial() {
  C c;
  std::memset(&c, 0xAB, sizeof c);
  c::init(&c, sizeof c);
  return c;
}

}  // namespace wnpu::tests
