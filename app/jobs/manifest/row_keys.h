// Keys of the rows that there are and that are done, 24 bytes each: manifests have many millions.
#pragma once

#include <compare>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "app/system/sha256.h"

namespace wnpu::app {

struct RowKey {
  std::uint64_t high = 0;
  std::uint64_t low = 0;
  // clang-tidy 14 takes the 0 in what the compiler makes of this for a pointer.
  auto operator<=>(const RowKey&) const = default;  // NOLINT(modernize-use-nullptr)
};

class RowKeys {
 public:
  // Key of a row by its id, as JSON; by its line if the id is null, as of a bad row without one.
  RowKey key_of(std::string_view id, std::size_t line);

 private:
  Sha256 sha256_;
};

// A set that is filled, then asked.
class RowKeySet {
 public:
  void add(const RowKey& key, std::size_t line) { keys_.emplace_back(key, line); }
  // Before it is asked. The lines of two rows with one key, if there are two.
  std::optional<std::pair<std::size_t, std::size_t>> sort();
  bool contains(const RowKey& key) const;
  std::size_t size() const { return keys_.size(); }

 private:
  std::vector<std::pair<RowKey, std::size_t>> keys_;
};

}  // namespace wnpu::app
