#include "models/text/token_ids.h"

#include <bit>
#include <functional>
#include <utility>

namespace wnpu::models {
namespace {

constexpr TokenId kFree = -1;

}  // namespace

TokenIds::TokenIds(std::vector<std::string> tokens)
    : tokens_(std::move(tokens)), slots_(std::bit_ceil(2 * tokens_.size() + 1), kFree) {
  for (std::size_t i = 0; i < tokens_.size(); ++i) {
    TokenId& slot = slots_[place_of(tokens_[i])];
    const auto id = static_cast<TokenId>(i);
    if (slot == kFree) {
      slot = id;
    } else if (!same_) {
      same_ = {slot, id};
    }
  }
}

std::size_t TokenIds::place_of(std::string_view bytes) const {
  const std::size_t mask = slots_.size() - 1;
  std::size_t place = std::hash<std::string_view>{}(bytes)&mask;
  while (slots_[place] != kFree && tokens_[static_cast<std::size_t>(slots_[place])] != bytes)
    place = (place + 1) & mask;
  return place;
}

std::optional<TokenId> TokenIds::find(std::string_view bytes) const {
  const TokenId id = slots_[place_of(bytes)];
  return id == kFree ? std::nullopt : std::optional(id);
}

}  // namespace wnpu::models
