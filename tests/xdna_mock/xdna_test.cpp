// npu/xrt/ on the real XRT and libxrt_driver_xdna, with the stand-in for the kernel driver
// preloaded (tests/xrt_forky.sh): what XRT and the driver refuse, and what must be left behind.
#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <iostream>
#include <string>

#define DOCTEST_CONFIG_IMPLEMENT
#include <doctest/doctest.h>

#include "npu/probe.h"
#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/device_fixture.h"
#include "tests/xdna_mock/overlay_folder.h"

// Defined by the preloaded stand-in; null without it.
extern "C" __attribute__((weak)) void xdna_mock_set(const char* name, const char* value);
extern "C" __attribute__((weak)) unsigned long xdna_mock_count(const char* what);

namespace wnpu::tests {

std::unique_ptr<npu::Device> open_device_under_test(const npu::XrtOptions& options) {
  return npu::open_xrt_device(options);
}

namespace {

using namespace std::chrono_literals;
using Clock = std::chrono::steady_clock;

constexpr std::size_t kElements = 3000;

// A setting of the stand-in for as long as this lives.
class Asked {
 public:
  Asked(const char* name, const char* value) : name_(name) { xdna_mock_set(name, value); }
  ~Asked() { xdna_mock_set(name_, nullptr); }
  Asked(const Asked&) = delete;
  Asked& operator=(const Asked&) = delete;

 private:
  const char* name_;
};

StandInCall adder_call() {
  StandInCall call;
  call.adder_elements = kElements;
  return call;
}

// An open device with the adder loaded and its buffers filled.
struct Ready {
  StandInCall call = adder_call();
  OverlayFolder folder{std::span(&call, 1)};
  std::unique_ptr<npu::Device> device =
      npu::open_xrt_device({.bdf = {}, .xclbin = folder.xclbin()});
  std::unique_ptr<npu::Program> program = device->load(design_of(call));
  AdderBuffers buffers{*program, kElements};

  std::string run_error(std::chrono::milliseconds timeout) {
    return device_error([&] { program->run(buffers.arguments(), timeout); });
  }
  std::string list_error(std::size_t n) {
    const std::vector<npu::Run> runs(n, npu::Run{program.get(), buffers.arguments()});
    return device_error([&] { device->run_all(runs, kPatience); });
  }
};

// Opens, runs and closes with `what` failing; the DeviceError that comes of it.
std::string error_with_failing(const char* what) {
  const Asked failing("FAIL", what);
  return device_error([] { Ready().run_error(kPatience); });
}

}  // namespace

TEST_CASE("xdna: the device is listed with name, address, firmware, columns and power mode") {
  const npu::XrtDevices found = npu::list_xrt_devices();
  REQUIRE(found.devices.size() == 1);
  CHECK(found.devices[0].bdf == "0000:c4:00.1");
  CHECK(found.devices[0].name == "NPU Phoenix");
  CHECK(found.devices[0].firmware == "1.5.5.391");
  CHECK(found.devices[0].columns == 5);
  CHECK(found.devices[0].power_mode == "default");
  CHECK(found.problem.empty());
  CHECK(npu::probe().front().usable);
}

TEST_CASE("xdna: another address is refused by its name") {
  const StandInCall call = adder_call();
  const OverlayFolder folder(std::span(&call, 1));
  const std::string error = device_error(
      [&] { npu::open_xrt_device({.bdf = "0000:99:00.1", .xclbin = folder.xclbin()}); });
  CHECK(contains(error, "npu 0000:99:00.1: open: "));
}

TEST_CASE("xdna: whatever the driver refuses is named, with a hint where there is one") {
  // Numbers of drm/amdxdna_accel.h: 0 CREATE_HWCTX, 2 CONFIG_HWCTX, 3 CREATE_BO, 4 GET_BO_INFO,
  // 6 EXEC_CMD.
  struct Case {
    const char* failing;
    std::vector<std::string> parts;
  };
  const std::vector<Case> cases = {
      {"open:13", {"npu: open: ", "Permission denied", "group render"}},
      {"open:19", {"npu: open: ", "/dev/accel/accel0", "No such device"}},
      {"mmap:11", {"npu: open: ", "mmap", "err=-11"}},
      {"mmap:12:3", {"npu 0000:c4:00.1: allocate ", "err=-12"}},
      {"0:22", {"load ", "CREATE_HWCTX", "hardware contexts"}},
      {"2:22", {"load ", "CONFIG_HWCTX", "err=-22"}},
      {"3:12:4", {"load instructions of adder", "CREATE_BO", "err=-12"}},
  };
  for (const Case& expected : cases) {
    CAPTURE(expected.failing);
    const Clock::time_point start = Clock::now();
    const std::string error = error_with_failing(expected.failing);
    INFO(error);
    CHECK(Clock::now() - start < 2s);
    for (const std::string& part : expected.parts) CHECK(contains(error, part));
  }
  CHECK(xdna_mock_count("devices") == 0);
}

TEST_CASE("xdna: a command that cannot be submitted fails its run, and the next one works") {
  Ready ready;
  {
    const Asked failing("FAIL", "6:5");
    const std::string error = ready.run_error(kPatience);
    INFO(error);
    CHECK(contains(error, "npu 0000:c4:00.1: run 0 (adder): "));
    CHECK(contains(error, "EXEC_CMD"));
  }
  CHECK(ready.run_error(kPatience).empty());
  CHECK(ready.buffers.holds_sums(1));
}

TEST_CASE("xdna: a command that the device ends in error fails its run, and the next one works") {
  Ready ready;
  struct Case {
    const char* state;
    const char* name;
  };
  for (const Case expected : {Case{"5", "state ERROR"}, Case{"6", "state ABORT"},
                              Case{"8", "state TIMEOUT (hint: the driver ended the command"}}) {
    {
      const Asked failing("COMMAND", expected.state);
      const std::string error = ready.run_error(kPatience);
      INFO(error);
      CHECK(contains(error, "run 0 (adder): the device ended the command in "));
      CHECK(contains(error, expected.name));
    }
    CHECK(ready.run_error(kPatience).empty());
  }
  CHECK(ready.buffers.holds_sums(1));
}

TEST_CASE("xdna: of a list, the run that failed is named") {
  Ready ready;
  {
    const Asked failing("COMMAND", "5:4");
    const std::string error = ready.list_error(6);
    INFO(error);
    CHECK(contains(error, "run 3 (adder): the device ended the command in state ERROR"));
  }
  {
    const Asked failing("COMMAND", "5:27");  // in the second chunk
    const std::string error = ready.list_error(30);
    INFO(error);
    CHECK(contains(error, "run 26 (adder): "));
  }
  CHECK(ready.list_error(30).empty());
  CHECK(ready.buffers.holds_sums(1));
}

TEST_CASE("xdna: a slow command is waited for") {
  Ready ready;
  const Asked slow("DELAY_MS", "150");
  const Clock::time_point start = Clock::now();
  CHECK(ready.run_error(kPatience).empty());
  CHECK(Clock::now() - start >= 150ms);
  CHECK(ready.buffers.holds_sums(1));
}

TEST_CASE("xdna: kernels without syncobj are served as well") {
  const Asked old("WAIT_CMD", "1");
  Ready ready;
  CHECK(ready.run_error(kPatience).empty());
  CHECK(ready.list_error(30).empty());
  CHECK(ready.buffers.holds_sums(1));
}

TEST_CASE("xdna: a container without AIE partition is refused with a hint") {
  const StandInCall call = adder_call();
  const OverlayFolder folder(std::span(&call, 1), {.with_partition = false});
  const std::string error =
      device_error([&] { npu::open_xrt_device({.bdf = {}, .xclbin = folder.xclbin()}); });
  INFO(error);
  CHECK(contains(error, "No valid DPU kernel"));
  CHECK(contains(error, "not built for an NPU"));
}

TEST_CASE("xdna: nothing is left open or allocated behind a device") {
  {
    Ready ready;
    CHECK(xdna_mock_count("contexts") == 1);
    CHECK(xdna_mock_count("devices") == 1);
    for (int i = 0; i < 5; ++i) CHECK(ready.run_error(kPatience).empty());
    const unsigned long buffers = xdna_mock_count("buffers");
    for (int i = 0; i < 50; ++i) CHECK(ready.run_error(kPatience).empty());
    CHECK(xdna_mock_count("buffers") == buffers);
  }
  CHECK(xdna_mock_count("contexts") == 0);
  CHECK(xdna_mock_count("devices") == 0);
}

// In a process of its own with xrt.ini's force_driver_sync: see CMakeLists.txt.
TEST_CASE("xdna_shadow: a forgotten sync is a wrong result" * doctest::skip()) {
  const Asked shadow("SHADOW", "1");
  Ready ready;
  CHECK(ready.run_error(kPatience).empty());
  CHECK(ready.buffers.holds_sums(1));

  auto& first = reinterpret_cast<std::int32_t&>(ready.buffers.a->host()[0]);
  first = 1000;  // not synced: the device still adds the 1 that was there
  CHECK(ready.run_error(kPatience).empty());
  CHECK(ready.buffers.holds_sums(1));

  ready.buffers.a->to_device();
  CHECK(ready.run_error(kPatience).empty());
  const auto& sum = reinterpret_cast<const std::int32_t&>(ready.buffers.out->host()[0]);
  CHECK(sum == 101);  // not synced back: what was brought last
  ready.buffers.out->from_device();
  CHECK(sum == 1100);
}

// In processes of their own with another device: XRT looks for devices once.
TEST_CASE("xdna_strix: an XCLBIN for Phoenix is refused, and Strix listed" * doctest::skip()) {
  const npu::XrtDevices found = npu::list_xrt_devices();
  REQUIRE(found.devices.size() == 1);
  CHECK(found.devices[0].name == "NPU Strix");
  CHECK(found.devices[0].columns == 8);
  const std::string error = device_error([] { Ready(); });
  CHECK(contains(error, "expected target npu4, found npu1"));
}

TEST_CASE("xdna_none: without a device the reason is named" * doctest::skip()) {
  const npu::XrtDevices found = npu::list_xrt_devices();
  CHECK(found.devices.empty());
  CHECK(contains(found.problem, "no /dev/accel/accel0"));
  const std::string error = device_error([] { Ready(); });
  INFO(error);
  CHECK(contains(error, "npu: open: No such device with index '0' (hint: npu: no /dev/accel"));
}

// In a process of its own, which must then end by itself: the command stays in flight.
TEST_CASE("xdna_hang: a command that never ends is given up at the deadline" * doctest::skip()) {
  Ready ready;
  const Asked hanging("COMMAND", "0");
  const bool as_list = std::getenv("WNPU_HANG_LIST") != nullptr;
  const Clock::time_point start = Clock::now();
  const std::string error = as_list ? device_error([&] {
    ready.device->run_all(
        std::vector<npu::Run>(6, npu::Run{ready.program.get(), ready.buffers.arguments()}), 300ms);
  })
                                    : ready.run_error(300ms);
  const auto took = Clock::now() - start;
  INFO(error);
  CHECK(contains(error, "no answer within 300 ms"));
  CHECK(took >= 300ms);
  CHECK(took < 1s);
  // The device is given up: no second wait.
  CHECK(contains(ready.run_error(kPatience), "may still be writing"));
  CHECK(Clock::now() - start < 1s);
}

}  // namespace wnpu::tests

int main(int argc, char** argv) {
  if (xdna_mock_set == nullptr) {
    std::cout
        << "SKIP: the stand-in for the driver is not preloaded: run it by ctest -R xrt_xdna\n";
    return 77;
  }
  return doctest::Context(argc, argv).run();
}
