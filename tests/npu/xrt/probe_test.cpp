#include "npu/probe.h"

#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

namespace fs = std::filesystem;

namespace {

// A root folder with one accelerator node bound to `driver`.
fs::path fake_root(const std::string& name, const std::string& driver) {
  const fs::path root = fs::temp_directory_path() / ("wnpu_probe_" + name);
  fs::remove_all(root);
  fs::create_directories(root / "dev/accel");
  std::ofstream(root / "dev/accel/accel0");
  fs::create_directories(root / "sys/class/accel/accel0/device");
  fs::create_symlink("/sys/bus/pci/drivers/" + driver,
                     root / "sys/class/accel/accel0/device/driver");
  return root;
}

}  // namespace

TEST_CASE("probe: says why there is no NPU") {
  const auto found = wnpu::npu::probe(fs::temp_directory_path() / "wnpu_probe_nothing_here");
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].usable);
  CHECK(found[0].reason == "no /dev/accel/accel0: no NPU, or no amdxdna driver");
}

TEST_CASE("probe: a node of another driver is not an NPU of ours") {
  const auto found = wnpu::npu::probe(fake_root("other", "habanalabs"));
  REQUIRE(found.size() == 1);
  CHECK_FALSE(found[0].usable);
  CHECK(found[0].reason == "its driver is habanalabs, not amdxdna");
}

TEST_CASE("probe: an amdxdna node that may be opened is usable, if its memory may be locked") {
  const auto found = wnpu::npu::probe(fake_root("xdna", "amdxdna"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "/dev/accel/accel0");
  CHECK(found[0].reason == wnpu::npu::locked_memory_problem(wnpu::npu::locked_memory()));
  CHECK(found[0].usable == found[0].reason.empty());
}

TEST_CASE("probe: an NPU without a driver is named") {
  const fs::path root = fs::temp_directory_path() / "wnpu_probe_idle";
  fs::remove_all(root);
  fs::create_directories(root / "proc/bus/pci");
  std::ofstream(root / "proc/bus/pci/devices") << "0010\t102214e8\t0\t               0\n"
                                               << "c401\t10221502\tff\t       fe900000\n";
  const auto found = wnpu::npu::probe(root);
  fs::remove_all(root);
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
