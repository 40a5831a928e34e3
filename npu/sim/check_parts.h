// The parts of check() that look at links (ends, packets, elements of a port, and whether the
// streams can leave and enter each part of the array at all), and those that look at transfers
// (what a descriptor holds, where its bytes and locks are, how many a channel needs).
#pragma once

#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

#include "npu/design/design.h"
#include "npu/sim/simulator.h"

namespace wnpu::npu {

// Problems of a Design, one message each.
class Problems {
 public:
  static constexpr std::size_t kEnough = 20;  // more messages say nothing new

  void add(std::string problem) { found_.push_back(std::move(problem)); }
  // `what`: a text, or a function that gives one where there is a problem: of the thousands of
  // transfers of a Design hardly one has any.
  template <typename What>
  void at_most(const What& what, std::uint64_t allowed, std::uint64_t found, const char* unit) {
    if (found <= allowed) return;
    add(text_of(what) + ": expected at most " + std::to_string(allowed) + unit + ", found " +
        std::to_string(found) + unit);
  }
  template <typename What>
  void between(const What& what, std::int64_t low, std::int64_t high, std::int64_t found) {
    if (found >= low && found <= high) return;
    add(text_of(what) + ": expected " + std::to_string(low) + " to " + std::to_string(high) +
        ", found " + std::to_string(found));
  }
  bool is_empty() const { return found_.empty(); }
  bool is_enough() const { return found_.size() >= kEnough; }
  std::vector<std::string> take() { return std::move(found_); }

 private:
  template <typename What>
  static std::string text_of(const What& what) {
    if constexpr (std::is_invocable_v<const What&>) {
      return what();
    } else {
      return what;
    }
  }

  std::vector<std::string> found_;
};

void check_streams(const Design& design, Problems& problems);
void check_transfers(const Design& design, Problems& problems);
// Only for transfers that check_transfers() found nothing wrong with.
void check_descriptors(const Design& design, Problems& problems);

// Whether the moves of a run took each channel's words through the links in the Design's order;
// empty where they did.
std::string moves_fault(const Design& design, const SimReport& report);

// Streams that have to cross the line between two rows or columns of tiles, and the switches' ports
// there. Routing may need more than this.
struct StreamCut {
  std::string name;  // "from mem tiles to shims"
  int streams = 0;
  int ports = 0;
};
std::vector<StreamCut> stream_cuts(const Design& design);

}  // namespace wnpu::npu
