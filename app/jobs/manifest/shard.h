// Shard of a manifest that a process does.
#pragma once

#include <cstddef>
#include <functional>
#include <string>

namespace wnpu::app {

struct Shard {
  std::size_t index = 0;  // from 0
  std::size_t count = 1;
  std::string source;  // of "auto": the variables that were read, for a message

  // The rows of a manifest are dealt out like cards: shards differ by one row at most.
  bool has(std::size_t row) const { return row % count == index; }
};

// A variable of the environment; null where it is not set.
using Variable = std::function<const char*(const char* name)>;

// "3/8" is the third of eight shards; "auto": as the variables of a Slurm array or an indexed job
// of Kubernetes say. Empty: the only one. Throws UsageError.
Shard shard_of(const std::string& text, const Variable& variable);

}  // namespace wnpu::app
