// A search for encoders under limits: variants are compared by a predictor, and those that none
// beats are checked and simulated. All modelled.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "npu/search/searches.h"
#include "npu/search/variant_cost.h"

namespace wnpu::npu {

// Loss of each variant; 0: that of the whole encoder.
using Losses = std::function<std::vector<double>(std::span<const EncoderVariant>)>;

struct VariantSearchOptions {
  VariantSpace space;
  TimePreset preset;
  // Limits of a window's layers; none: as long, as much as it takes.
  std::optional<double> most_ms = std::nullopt;
  std::optional<double> most_mb = std::nullopt;  // 1e6 bytes
  SearchMethod method = SearchMethod::evolution;
  SearchBudget budget;
  std::uint64_t seed = 1;
  const Predictor* predictor = nullptr;
  std::size_t most_members = 12;
  // Objective beside time and memory; empty: the share of the encoder's work that is cut.
  Losses losses = {};
  std::size_t threads = 1;
};

// A variant, and what it costs.
struct Member {
  EncoderVariant variant;
  double kept = 0;  // share_kept()
  double loss = 0;  // by the options' losses; else 1 - kept
  double predicted_ms = 0;
  VariantCost exact;  // checked and simulated
};

// One that was good enough by the predictor, and is not.
struct DroppedMember {
  EncoderVariant variant;
  std::string reason;
};

struct VariantSearchResult {
  // Fastest first; no member beats another in time, memory and what is lost.
  std::vector<Member> front;
  Member whole;  // for comparison
  // Variant that misses the limits by the least, if the front is empty.
  std::optional<Member> nearest;
  std::vector<DroppedMember> dropped;
  std::map<LayerKey, std::string> refused_layers;  // of any variant that was looked at
  std::size_t n_looked_at = 0;
  std::size_t n_within = 0;  // of them, by the predictor
  double space_size = 0;
  SearchEnd end = SearchEnd::evaluations;
  // Objectives of those looked at that meet the limits, by the predictor.
  std::vector<Objectives> seen;
};

// Throws std::invalid_argument for a space with a fault.
VariantSearchResult search_variants(const VariantSearchOptions& options);

}  // namespace wnpu::npu
