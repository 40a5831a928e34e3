// Contractions and titles that the English normaliser writes out.
#pragma once

#include <span>
#include <string_view>

namespace wnpu::bench {

enum class ContractionStart { kAtWord, kAnywhere };

// spoken ends at a word boundary; where it starts is said by `start`.
struct Contraction {
  std::u32string_view spoken;
  std::u32string_view written;
  ContractionStart start = ContractionStart::kAtWord;
};

// In the order in which they are applied: "'s been" comes before "'s".
std::span<const Contraction> contractions();

}  // namespace wnpu::bench
