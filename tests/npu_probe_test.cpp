#include <filesystem>
#include <fstream>

#include <doctest/doctest.h>

#include "npu/probe.h"

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

TEST_CASE("probe: an amdxdna node that may be opened is usable") {
  const auto found = wnpu::npu::probe(fake_root("xdna", "amdxdna"));
  REQUIRE(found.size() == 1);
  CHECK(found[0].name == "/dev/accel/accel0");
  CHECK(found[0].usable);
}
