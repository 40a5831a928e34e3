#include "models/text/byte_pair.h"

#include <cstddef>
#include <optional>
#include <queue>
#include <tuple>

#include "models/base/error.h"
#include "models/text/pattern.h"

namespace wnpu::models {
namespace {

// openai/whisper tokenizer.py get_encoding, pat_str. Its \s is Unicode's White_Space; PCRE2's \s
// has U+180E besides (pcre2pattern: \h), so the set is spelled out here.
constexpr std::string_view kPattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+)"
    R"(| ?[^\t-\r\x{85}\p{Z}\p{L}\p{N}]+)"
    R"(|[\t-\r\x{85}\p{Z}]+(?![^\t-\r\x{85}\p{Z}])|[\t-\r\x{85}\p{Z}]+)";

// Two neighbouring parts that make a token; orders a queue by rank, then from the left.
struct Pair {
  TokenId rank;
  std::size_t left;    // where the first part starts
  std::size_t middle;  // where the second starts
  std::size_t end;     // where it ends
  bool operator>(const Pair& other) const {
    return std::tie(rank, left) > std::tie(other.rank, other.left);
  }
};

class Merger {
 public:
  Merger(std::string_view piece, const TokenIds& ids)
      : piece_(piece), ids_(ids), ends_(piece.size()), starts_(piece.size() + 1) {
    for (std::size_t i = 0; i < piece.size(); ++i) {
      ends_[i] = i + 1;
      starts_[i + 1] = i;
    }
    for (std::size_t i = 0; i < piece.size(); ++i) push(i);
  }

  void run() {
    while (!queue_.empty()) {
      const Pair pair = queue_.top();
      queue_.pop();
      if (is_current(pair)) merge(pair);
    }
  }

  void append_tokens(std::vector<TokenId>& out) const {
    for (std::size_t start = 0; start < piece_.size(); start = ends_[start]) {
      out.push_back(*rank(start, ends_[start]));
    }
  }

 private:
  std::optional<TokenId> rank(std::size_t start, std::size_t end) const {
    return ids_.find(piece_.substr(start, end - start));
  }

  // Queues the part that starts at `left` with the one after it, if they make a token.
  void push(std::size_t left) {
    const std::size_t middle = ends_[left];
    if (middle == piece_.size()) return;
    const std::size_t end = ends_[middle];
    if (const auto found = rank(left, end)) queue_.push({*found, left, middle, end});
  }

  // Both parts still stand as they did when the pair was queued.
  bool is_current(const Pair& pair) const {
    return ends_[pair.left] == pair.middle && ends_[pair.middle] == pair.end;
  }

  void merge(const Pair& pair) {
    ends_[pair.left] = pair.end;
    ends_[pair.middle] = 0;  // no part starts here any more
    starts_[pair.end] = pair.left;
    push(pair.left);
    if (pair.left > 0) push(starts_[pair.left]);
  }

  std::string_view piece_;
  const TokenIds& ids_;
  std::vector<std::size_t> ends_;    // end of the part that starts at i
  std::vector<std::size_t> starts_;  // start of the part that ends at i
  std::priority_queue<Pair, std::vector<Pair>, std::greater<>> queue_;
};

}  // namespace

std::vector<std::string_view> pre_tokenize(std::string_view utf8) {
  static const Pattern kPieces(kPattern);
  std::vector<std::string_view> pieces;
  for (std::size_t start = 0; start < utf8.size();) {
    const std::size_t end = kPieces.end_of_match(utf8, start);
    // The pattern takes any character.
    if (end == std::string_view::npos) throw ModelError("pre-tokeniser: found no piece");
    pieces.push_back(utf8.substr(start, end - start));
    start = end;
  }
  return pieces;
}

void encode_piece(std::string_view piece, const TokenIds& ids, std::vector<TokenId>& out) {
  if (const auto whole = ids.find(piece)) {
    out.push_back(*whole);
    return;
  }
  Merger merger(piece, ids);
  merger.run();
  merger.append_tokens(out);
}

}  // namespace wnpu::models
