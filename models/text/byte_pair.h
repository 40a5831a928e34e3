// Pieces of text by GPT-2's pattern on Unicode letters and numbers, and byte-pair encoding within
// each, as tiktoken does it: neighbours that make the token of the lowest rank are merged first,
// the leftmost of equal ones before the others; rank = token id.
#pragma once

#include <string_view>
#include <vector>

#include "models/base/stages.h"
#include "models/text/token_ids.h"

namespace wnpu::models {

// Pieces that byte-pair encoding merges within: views into `utf8`, in order, without gaps. `utf8`
// must be valid UTF-8.
std::vector<std::string_view> pre_tokenize(std::string_view utf8);

// `ids` must have a token for each single byte. Appends to `out`. Takes n log n steps for n bytes.
void encode_piece(std::string_view piece, const TokenIds& ids, std::vector<TokenId>& out);

}  // namespace wnpu::models
