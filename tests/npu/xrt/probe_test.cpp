#include "npu/probe.h"

#include <filesystem>
#include <string>

#include <doctest/doctest.h>

#include "npu/xrt/xrt_hints.h"
#include "tests/support/temporary_folder.h"

namespace fs = std::filesystem;

namespace {

// A root folder with one accelerator node bound to `driver`.
struct FakeRoot : wnpu::tests::TemporaryFolder {
  explicit FakeRoot(const std::string& driver) {
    make_file("dev/accel/accel0");
    const fs::path device = path() / "sys/class/accel/accel0/device";
    fs::create_directories(device);
    fs::create_symlink("/sys/bus/pci/drivers/" + driver, device / "driver");
  }
};

}  // namespace

TEST_CASE("probe: says why there is no NPU") {
  const auto found = wnpu::npu::probe(fs::temp_directory_path() / "wnpu_probe_nothing_here");
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].usable);
  CHECK(found[0].reason == "no /dev/accel/accel0: no NPU, or no amdxdna driver");
}

TEST_CASE("probe: a node of another driver is not an NPU of ours") {
  const auto found = wnpu::npu::probe(FakeRoot("habanalabs").path());
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].usable);
  CHECK(found[0].reason == "its driver is habanalabs, not amdxdna");
}

TEST_CASE("probe: an amdxdna node that may be opened is usable, if its memory may be locked") {
  const auto found = wnpu::npu::probe(FakeRoot("amdxdna").path());
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "/dev/accel/accel0");
  CHECK(found[0].reason == wnpu::npu::locked_memory_problem(wnpu::npu::locked_memory()));
  CHECK(found[0].usable == found[0].reason.empty());
}

TEST_CASE("probe: an NPU without a driver is named") {
  const wnpu::tests::TemporaryFolder root;
  root.make_file("proc/bus/pci/devices",
                 "0010\t102214e8\t0\t               0\nc401\t10221502\tff\t       fe900000\n");
  const auto found = wnpu::npu::probe(root.path());
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].usable);
  CHECK(found[0].reason == "NPU c4:00.1 has no driver: load amdxdna (Linux 6.14 or later)");
}

TEST_CASE("probe: too little lockable memory is a reason, with both figures") {
  using wnpu::npu::locked_memory_problem;
  const std::string problem = locked_memory_problem({8ULL << 20, false});
  CHECK(problem.find("may lock 8192 KiB") != std::string::npos);
  CHECK(problem.find("wants 65536") != std::string::npos);
  CHECK(locked_memory_problem({64ULL << 20, false}).empty());
  CHECK(locked_memory_problem({8ULL << 20, true}).empty());
}

using wnpu::npu::error_text;
using wnpu::npu::hint_for;

TEST_CASE("xrt_hints: XRT's message becomes device, call, cause and hint") {
  CHECK(error_text("npu 0000:c4:00.1", "open",
                   "Open /dev/accel/accel0 failed (err=-13): Permission denied\n") ==
        "npu 0000:c4:00.1: open: Open /dev/accel/accel0 failed (err=-13): Permission denied (hint: "
        "add this user to the group render)");
  CHECK(error_text("npu", "run 3 (layer)", " something new") ==
        "npu: run 3 (layer): something new");
}

TEST_CASE("xrt_hints: the known refusals have a hint each, and only they") {
  CHECK(hint_for("DRM_IOCTL_AMDXDNA_CREATE_HWCTX IOCTL failed (err=-22)").find("contexts") !=
        std::string::npos);
  CHECK(hint_for("No valid DPU kernel found in xclbin").find("AIE partition") != std::string::npos);
  CHECK(hint_for("XILINX_XRT not set").find("2.18") != std::string::npos);
  CHECK(hint_for("mmap(addr=0, len=4096) failed (err=-12): Cannot allocate memory").empty());
  CHECK(hint_for("it broke").empty());
}

TEST_CASE("xrt_hints: without a device the probe's reason is the hint") {
  CHECK_FALSE(hint_for(" No such device with index '0'").empty());
}
