// Advice on models: what each needs and gives on a machine, by its size, and the one to take.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "models/weights/precision.h"

namespace wnpu::app {

// The machine that a model is to run on.
struct Host {
  unsigned threads = 1;
  std::uint64_t memory_bytes = 0;
  models::Precision precision = models::Precision::fp32;  // of --precision auto
  bool multiplies_bytes = false;                          // in it
};
Host this_host();

// A released model with the default options.
struct ModelNeeds {
  std::size_t languages = 1;
  std::uint64_t memory_bytes = 0;  // resident, at most
  double times_real_time = 0;      // modelled, by the speeds of record
};
// Needs of a model by name; empty: not of a released size.
std::optional<ModelNeeds> needs_of(std::string_view name, const Host& host);

struct ModelAdvice {
  std::string english;  // for English alone
  std::string other;    // for all languages
};
// The largest model that takes at most half of the memory and is some times faster than speech; of
// English its own model, as far as there is one. The smallest where none does.
ModelAdvice advice_for(const Host& host);

}  // namespace wnpu::app
