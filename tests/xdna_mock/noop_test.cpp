// The host path of npu/xrt/ on XRT 2.13's noop driver, which completes every command and computes
// nothing: the stand-in for the array works on the mapped buffers after each command.
// The environment (XILINX_XRT, XCL_EMULATION_MODE) comes from tests/xdna_mock/CMakeLists.txt.
#include <cstdlib>
#include <iostream>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "npu/first_light/first_light.h"
#include "tests/xdna_mock/attached_device.h"
#include "tests/xdna_mock/device_fixture.h"
#include "tests/xdna_mock/overlay_folder.h"

namespace wnpu::tests {

std::unique_ptr<npu::Device> open_device_under_test(const npu::XrtOptions& options) {
  return attach(npu::open_xrt_device(options), options.xclbin.parent_path());
}

// Down to here all is real; what an NPU would compute, nobody does.
TEST_CASE("xrt: where silicon would begin, first light says what it found instead") {
  npu::FirstLightOptions options;
  options.shape = {.frames = 50, .width = 128, .heads = 2, .hidden = 256};
  const OverlayFolder folder(calls_of_first_light(options.shape));
  const auto device = npu::open_xrt_device({.bdf = {}, .xclbin = folder.xclbin()});
  const npu::FirstLight result = npu::run_first_light(*device, options);
  CHECK(!result.machine.is_simulated);
  const npu::StepResult& kernel = result.steps.front();
  CHECK(kernel.status == npu::StepStatus::failed);
  REQUIRE(kernel.checks.size() == 1);
  const npu::Difference& difference = kernel.checks.front().differences.front();
  CHECK(difference.region == "result");
  CHECK(difference.differing == difference.compared);
  CHECK(difference.found == 0xffff);  // as it was filled
  CHECK(result.steps.at(1).status == npu::StepStatus::not_run);
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
