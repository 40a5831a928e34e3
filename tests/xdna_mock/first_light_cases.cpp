// First light through XRT: the whole way on what stands in for the array, which computes with the
// simulator, so that its bits are equal and its times mean nothing.
#include <doctest/doctest.h>

#include "npu/first_light/first_light.h"
#include "tests/few_samples.h"
#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/device_fixture.h"
#include "tests/xdna_mock/overlay_folder.h"

namespace wnpu::tests {

TEST_CASE("xrt: first light runs every call of one XCLBIN, and finds the simulator's bits") {
  npu::FirstLightOptions options;
  options.shape = {.frames = 50, .width = 128, .heads = 2, .hidden = 256};
  options.layers = 2;
  options.runs = 1;
  options.timeout = kPatience;
  // Measuring runs the same calls again.
  if (kFewSamples) options.last = npu::FirstLightStep::encoder;
  const OverlayFolder folder(calls_of_first_light(options.shape));
  const auto device = open_device_under_test({.bdf = {}, .xclbin = folder.xclbin()});
  const npu::FirstLight result = npu::run_first_light(*device, options);
  REQUIRE(result.steps.size() == npu::kStepNames.size());
  for (std::size_t i = 0; i <= static_cast<std::size_t>(options.last); ++i) {
    CAPTURE(result.steps[i].reason);
    CHECK(result.steps[i].status == npu::StepStatus::passed);
  }
  CHECK(result.measured.empty() == kFewSamples);
}

}  // namespace wnpu::tests
