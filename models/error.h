// The error of the models folder: a model file that is missing, damaged or not what it claims.
#pragma once

#include <stdexcept>

namespace wnpu::models {

// what() names the path, what was expected and what was found:
// "tiny.bin: encoder.conv1.weight: expected [384, 80, 3], found [512, 80, 3]".
struct ModelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

}  // namespace wnpu::models
