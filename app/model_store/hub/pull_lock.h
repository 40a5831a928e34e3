// One process at a time: a file that is locked (flock) as long as the object lives, and gone after
// it. A killed process leaves a file that nobody has locked, which stands in nobody's way.
#pragma once

#include <filesystem>
#include <functional>

#include "models/base/descriptor.h"

namespace wnpu::app {

class PullLock {
 public:
  // Waits for another that has it, after one call of `tell_wait`. Throws OutputError, and
  // models::Stopped where a signal came and `should_stop`, if there is one, says so.
  PullLock(std::filesystem::path path, const std::function<void()>& tell_wait,
           const std::function<bool()>& should_stop = {});
  ~PullLock();
  PullLock(const PullLock&) = delete;
  PullLock& operator=(const PullLock&) = delete;

 private:
  bool is_at_path() const;

  std::filesystem::path path_;
  models::Descriptor descriptor_;
};

}  // namespace wnpu::app
