#include "app/jobs/manifest/row_keys.h"

#include <algorithm>
#include <charconv>
#include <string>

namespace wnpu::app {
namespace {

constexpr std::size_t kDigits = 16;

std::uint64_t number_of_hex(std::string_view hex) {
  std::uint64_t number = 0;
  std::from_chars(hex.data(), hex.data() + hex.size(), number, kDigits);
  return number;
}

}  // namespace

RowKey RowKeys::key_of(std::string_view id, std::size_t line) {
  const bool has_none = id == "null";
  const std::string hex = sha256_(has_none ? "line " + std::to_string(line) : std::string(id));
  return {number_of_hex(std::string_view(hex).substr(0, kDigits)),
          number_of_hex(std::string_view(hex).substr(kDigits, kDigits))};
}

std::optional<std::pair<std::size_t, std::size_t>> RowKeySet::sort() {
  std::ranges::sort(keys_);
  const auto key = [](const auto& each) { return each.first; };
  const auto twice = std::ranges::adjacent_find(keys_, {}, key);
  if (twice == keys_.end()) return std::nullopt;
  return std::pair{twice->second, std::next(twice)->second};
}

bool RowKeySet::contains(const RowKey& key) const {
  return std::ranges::binary_search(keys_, key, {}, [](const auto& each) { return each.first; });
}

}  // namespace wnpu::app
