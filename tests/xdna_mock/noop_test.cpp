// The host path of npu/xrt/ on XRT 2.13's noop driver, which completes every command and computes
// nothing: the stand-in for the array works on the mapped buffers after each command.
// The environment (XILINX_XRT, XCL_EMULATION_MODE) comes from tests/xdna_mock/CMakeLists.txt.
#include <cstdlib>
#include <iostream>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "tests/xdna_mock/attached_device.h"
#include "tests/xdna_mock/device_fixture.h"

namespace wnpu::tests {

std::unique_ptr<npu::Device> open_device_under_test(const npu::XrtOptions& options) {
  return attach(npu::open_xrt_device(options), options.xclbin.parent_path());
}

}  // namespace wnpu::tests

int main(int argc, char** argv) {
  if (wnpu::npu::xrt_version() != "XRT 2.13") {
    std::cout << "SKIP: the noop driver is part of XRT 2.13; here: " << wnpu::npu::xrt_version()
              << "\n";
    return 77;
  }
  const char* mode = std::getenv("XCL_EMULATION_MODE");
  if (mode == nullptr || std::string_view(mode) != "noop") {
    std::cout << "SKIP: XCL_EMULATION_MODE is not noop: run it by ctest -R xrt_noop\n";
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
