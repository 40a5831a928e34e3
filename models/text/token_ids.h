// Ids of text tokens by their bytes: a hash table with open addresses, which is built with each
// model that is loaded, and so without an allocation a token.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/stages.h"

namespace wnpu::models {

class TokenIds {
 public:
  // The tokens, by id, are kept here.
  explicit TokenIds(std::vector<std::string> tokens);

  const std::vector<std::string>& tokens() const { return tokens_; }
  // Id of a token by its bytes, the first of equal ones.
  std::optional<TokenId> find(std::string_view bytes) const;
  // The first token that equals an earlier one, and that one.
  struct Same {
    TokenId first;
    TokenId second;
  };
  const std::optional<Same>& same() const { return same_; }

 private:
  // Slot of the token with these bytes, or the free one that it would take.
  std::size_t place_of(std::string_view bytes) const;

  std::vector<std::string> tokens_;
  std::vector<TokenId> slots_;  // a power of 2 of them, at most half taken; kFree: free
  std::optional<Same> same_;
};

}  // namespace wnpu::models
