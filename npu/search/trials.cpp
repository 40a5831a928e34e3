#include "npu/search/trials.h"

#include <algorithm>
#include <stdexcept>

namespace wnpu::npu {
namespace {

using Clock = std::chrono::steady_clock;

// Random rows that are tried before all rows are gone through in order.
constexpr int kDraws = 100;

bool has(const std::vector<Genes>& rows, const Genes& genes) {
  return std::ranges::find(rows, genes) != rows.end();
}

}  // namespace

Trials::Trials(const VariantSpace& space, const Evaluate& evaluate, const SearchBudget& budget)
    : space_(space),
      evaluate_(evaluate),
      budget_(budget),
      size_(space.size()),
      start_(Clock::now()) {
  const std::string fault = space_fault(space);
  if (!fault.empty()) throw std::invalid_argument("search: " + fault);
}

std::vector<Outcome> Trials::outcomes() const {
  std::vector<Outcome> all;
  all.reserve(trials_.size());
  for (const Trial& trial : trials_) all.push_back(trial.outcome);
  return all;
}

bool Trials::is_time_up() const { return budget_.time && Clock::now() - start_ >= *budget_.time; }

bool Trials::has_room() const {
  return trials_.size() < budget_.evaluations && !is_space_seen() && !is_time_up();
}

SearchEnd Trials::end() const {
  if (is_space_seen()) return SearchEnd::space;
  return trials_.size() >= budget_.evaluations ? SearchEnd::evaluations : SearchEnd::time;
}

std::vector<std::size_t> Trials::look_at(const std::vector<Genes>& rows) {
  std::vector<Genes> fresh;
  for (const Genes& genes : rows) {
    if (trials_.size() + fresh.size() >= budget_.evaluations) break;
    if (seen_.insert(genes).second) fresh.push_back(genes);
  }
  std::vector<EncoderVariant> variants;
  variants.reserve(fresh.size());
  for (const Genes& genes : fresh) variants.push_back(variant_of(space_, genes));
  const std::vector<Outcome> outcomes = evaluate_(variants);
  std::vector<std::size_t> places;
  for (std::size_t i = 0; i < fresh.size(); ++i) {
    places.push_back(trials_.size());
    trials_.push_back({fresh[i], outcomes.at(i)});
  }
  return places;
}

std::optional<Genes> Trials::unknown(SearchRandom& random,
                                     const std::vector<Genes>& planned) const {
  for (int i = 0; i < kDraws; ++i) {
    Genes genes = random_genes(space_, random);
    if (!knows(genes) && !has(planned, genes)) return genes;
  }
  std::optional<Genes> found;
  for_each_variant(space_, [&](const Genes& genes) {
    if (knows(genes) || has(planned, genes)) return true;
    found = genes;
    return false;
  });
  return found;
}

}  // namespace wnpu::npu
