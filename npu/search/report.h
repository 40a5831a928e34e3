// Report of a search for encoders, as text and as JSON (bench/search/search.schema.json). Modelled,
// and said so; but for the error rates, which somebody else has measured.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "npu/search/variant_search.h"

namespace wnpu::npu {

// Measured word error rate of a variant on recordings with known text.
struct MeasuredQuality {
  std::size_t errors = 0;  // words
  std::size_t words = 0;   // of the references

  double wer() const {
    return words > 0 ? static_cast<double>(errors) / static_cast<double>(words) : 0;
  }
};

// Objective beside time and memory: the encoder's work that is cut, or the error in its states.
enum class SearchObjective { kept, states };
inline constexpr std::array<std::string_view, 2> kSearchObjectiveNames{"kept", "states"};

struct SearchReport {
  std::string encoder;  // "base"
  SearchObjective objective = SearchObjective::kept;
  VariantSearchOptions options;
  VariantSearchResult result;
  double seconds = 0;
  // Measured for each member of the front, or not at all.
  std::vector<MeasuredQuality> quality;
  std::optional<MeasuredQuality> whole_quality;
  std::size_t n_recordings = 0;
  std::vector<std::string> notes;
};

// Report texts name members by their number in the table; "whole" and "nearest" are names instead.
std::string search_text(const SearchReport& report);
std::string search_json(const SearchReport& report);

}  // namespace wnpu::npu
