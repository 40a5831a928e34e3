#include "tests/xdna_mock/fake_sysfs.h"

#include <array>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <stdlib.h>
#include <string_view>
#include <unistd.h>

#include "tests/xdna_mock/mock_settings.h"

namespace wnpu::tests {
namespace fs = std::filesystem;
namespace {

constexpr std::string_view kBdf = "0000:c4:00.1";

// As libxrt_driver_xdna 2.25 reads them (pcidev.cpp, platform.cpp): the entry below drivers/amdxdna
// must be a link whose target begins with /sys/devices/, device_type 0 is the kernel-mode queue.
class Tree {
 public:
  Tree() : owner_(::getpid()) {
    std::array<char, 32> name{"/tmp/xdna-mock-XXXXXX"};
    if (::mkdtemp(name.data()) == nullptr) {
      std::perror("xdna-mock: mkdtemp");
      std::abort();
    }
    root_ = name.data();
    if (mock_setting("DEVICE") != "none") fill();
  }
  ~Tree() {
    if (::getpid() != owner_) return;  // a child after fork()
    std::error_code error;
    fs::remove_all(root_, error);
  }
  Tree(const Tree&) = delete;
  Tree& operator=(const Tree&) = delete;
  const std::string& root() const { return root_; }

 private:
  void fill() const {
    const std::string slot = "pci0000:00/" + std::string(kBdf);
    const std::string device = "/sys/devices/" + slot;
    const char* id = is_strix() ? "0x17f0" : "0x1502";
    file(device + "/vendor", "0x1022");
    file(device + "/device", id);
    file(device + "/revision", is_strix() ? "0x10" : "0x00");
    file(device + "/subsystem_vendor", "0x1022");
    file(device + "/subsystem_device", id);
    file(device + "/class", "0x118000");
    file(device + "/device_type", "0");
    file(device + "/vbnv", is_strix() ? "NPU Strix" : "NPU Phoenix");
    file(device + "/fw_version", "1.5.5.391");
    fs::create_directories(root_ + device + "/accel/accel0");
    link("/sys/bus/pci/drivers/amdxdna", device);
    link("/sys/bus/pci/devices", device);
    // Files that npu/probe looks at.
    fs::create_directories(root_ + "/sys/class/accel/accel0/device");
    fs::create_symlink("/sys/bus/pci/drivers/amdxdna",
                       root_ + "/sys/class/accel/accel0/device/driver");
    file("/sys/module/amdxdna/version", "stand-in");
    file(kNode, "");
  }
  void file(const std::string& path, const std::string& line) const {
    fs::create_directories(fs::path(root_ + path).parent_path());
    std::ofstream(root_ + path) << line << "\n";
  }
  // A link called as the slot, relative, so that it stays inside the tree.
  void link(const std::string& folder, const std::string& target) const {
    fs::create_directories(root_ + folder);
    fs::create_symlink(fs::relative(root_ + target, root_ + folder),
                       root_ + folder + "/" + std::string(kBdf));
  }

  pid_t owner_;
  std::string root_;
};

}  // namespace

bool is_strix() { return mock_setting("DEVICE") == "strix"; }

const std::string& fake_root() {
  static const Tree tree;
  return tree.root();
}

Redirected::Redirected(const char* path) : original_(path) {
  // Only on a match is the tree asked for: making it opens files, too.
  constexpr std::array<const char*, 5> kOurs = {
      "/sys/bus/", "/sys/devices/pci", "/sys/module/amdxdna", "/sys/class/accel", "/dev/accel"};
  if (path == nullptr) return;
  for (const char* prefix : kOurs) {
    if (std::strncmp(path, prefix, std::strlen(prefix)) == 0) inside_ = fake_root() + path;
  }
}

}  // namespace wnpu::tests
