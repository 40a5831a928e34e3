// The files under /sys and /dev from which XRT learns of an NPU, in a temporary folder.
#pragma once

#include <string>

namespace wnpu::tests {

constexpr const char* kNode = "/dev/accel/accel0";

// Whether the device is a Strix (8 columns), else a Phoenix (5, of which 4 are usable).
bool is_strix();

// Path in the fake tree; `path` itself if it is outside.
class Redirected {
 public:
  explicit Redirected(const char* path);
  const char* path() const { return is_ours() ? inside_.c_str() : original_; }
  bool is_ours() const { return !inside_.empty(); }

 private:
  const char* original_;
  std::string inside_;
};

// The folder of the fake tree.
const std::string& fake_root();

}  // namespace wnpu::tests
