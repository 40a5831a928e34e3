// What is wrong with a Design, one message a problem.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace wnpu::npu {

class Problems {
 public:
  static constexpr std::size_t kEnough = 20;  // more messages say nothing new

  void add(std::string problem) { found_.push_back(std::move(problem)); }
  void at_most(const std::string& what, std::uint64_t allowed, std::uint64_t found,
               const std::string& unit) {
    if (found <= allowed) return;
    add(what + ": expected at most " + std::to_string(allowed) + unit + ", found " +
        std::to_string(found) + unit);
  }
  void between(const std::string& what, std::int64_t low, std::int64_t high, std::int64_t found) {
    if (found >= low && found <= high) return;
    add(what + ": expected " + std::to_string(low) + " to " + std::to_string(high) + ", found " +
        std::to_string(found));
  }
  bool is_empty() const { return found_.empty(); }
  bool is_enough() const { return found_.size() >= kEnough; }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  std::vector<std::string> found_;
};

}  // namespace wnpu::npu
