// The errors of the models folder, and of what every folder may run out of.
#pragma once

#include <exception>
#include <stdexcept>

namespace wnpu::models {

// A model file that is missing, damaged or not what it claims. what() names the path, what was
// expected and what was found: "tiny.bin: encoder.conv1.weight: expected [384, 80, 3], found [512,
// 80, 3]".
struct ModelError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// A library that was asked for is not installed. what() names it and its package.
struct LibraryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// The machine has no more memory for what what() names. (Where nothing is known to be named, it is
// a std::bad_alloc.)
struct MemoryError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

// Work that was given up because it was asked to stop.
struct Stopped : std::exception {
  const char* what() const noexcept override { return "stopped"; }
};

}  // namespace wnpu::models
