// Simulated calls that are kept on disk, so that a search that was made before is made again at
// once. One file of lines, each written whole at its end: two processes may use it at a time. A
// line that is damaged or another program's is no result.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <unordered_map>

#include "npu/design/design.h"
#include "npu/design/target.h"

namespace wnpu::npu {

// Result of a call; the array may not be able to run it.
struct CallResult {
  bool is_refused = false;
  double cycles = 0;
  std::uint64_t ddr_bytes = 0;
  bool operator==(const CallResult&) const = default;
};

// Hash of the design, the preset's numbers and the simulator.
std::uint64_t result_key(const Design& design, const TimePreset& preset);

class ResultCache {
 public:
  ResultCache() = default;  // in memory alone
  // Reads what is there. Nothing is thrown: a cache that cannot be kept is an empty one.
  explicit ResultCache(std::filesystem::path file);

  std::optional<CallResult> find(std::uint64_t key) const;
  void store(std::uint64_t key, const CallResult& result);

  std::size_t size() const { return results_.size(); }
  std::size_t n_damaged() const { return n_damaged_; }     // lines
  const std::string& problem() const { return problem_; }  // why nothing is kept; empty: it is

 private:
  void read();

  std::filesystem::path file_;
  std::unordered_map<std::uint64_t, CallResult> results_;
  std::size_t n_damaged_ = 0;
  std::string problem_;
};

// $XDG_CACHE_HOME/whisper-npu/tuned-calls.txt
std::filesystem::path default_cache_file();

}  // namespace wnpu::npu
