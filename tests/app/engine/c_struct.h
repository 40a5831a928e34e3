// A struct of the C interface with its defaults.
#pragma once

#include <cstring>

#include "app/engine/c/options.h"

namespace wnpu::tests {

// Struct set up by init(), whatever its memory held before.
template <typename C>
C initial() {
  C c;
  std::memset(&c, 0xAB, sizeof c);
  c::init(&c, sizeof c);
  return c;
}

}  // namespace wnpu::tests
