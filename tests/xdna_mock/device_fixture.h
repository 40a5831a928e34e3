// How the test program at hand opens its device: on XRT's noop driver (noop_test.cpp) or on the
// stand-in for the kernel driver (xdna_test.cpp). The cases of xrt_device_cases.cpp run on both.
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "npu/device.h"
#include "npu/xrt/xrt_device.h"

namespace wnpu::tests {

std::unique_ptr<npu::Device> open_device_under_test(const npu::XrtOptions& options);

constexpr std::chrono::milliseconds kPatience{10000};  // far beyond any command of these tests

// The three buffers of an adder, with the values 1, 2, 3, ... and 100, 200, 300, ...
struct AdderBuffers {
  AdderBuffers(npu::Program& program, std::size_t n_elements);
  std::vector<npu::Buffer*> arguments() { return {a.get(), b.get(), out.get()}; }
  // Whether every element of out, brought from the device, is a + times * b.
  bool holds_sums(std::int32_t times);

  std::unique_ptr<npu::Buffer> a, b, out;
};

// Message of the DeviceError that `action` throws; empty if it throws none.
template <typename Action>
std::string device_error(Action action) {
  try {
    action();
  } catch (const npu::DeviceError& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}

}  // namespace wnpu::tests
