#include "npu/ops/stand_in.h"

#include <algorithm>
#include <array>

#include "npu/ops/operand_values.h"
#include "npu/ops/registry.h"

namespace wnpu::npu {
namespace {

constexpr std::size_t kColumns = 64;
constexpr std::size_t kMostRows = 64;
constexpr std::size_t kRowMultiple = 4;

}  // namespace

void require_like_gelu(const Operator& op) {
  const OperatorRegistry registry;
  const std::string fault = signature_fault(*registry.find(kReplaceable), op);
  if (fault.empty()) return;
  throw OperatorError(op.source + ": operator " + op.name + " cannot stand in for " +
                      std::string(kReplaceable) + ": " + fault);
}

void apply_reference(const Operator& op, std::span<float> values) {
  static constexpr std::array<float, kColumns> kNoBias{};
  constexpr std::size_t kTile = kMostRows * kColumns;
  std::array<float, kTile> in{};
  std::array<float, kTile> out{};
  const std::vector<double> attributes = op.attribute_values();
  const CallArrays arrays({in.data(), kNoBias.data()}, {out.data()});
  for (std::size_t first = 0; first < values.size(); first += kTile) {
    const auto part = values.subspan(first, std::min(kTile, values.size() - first));
    std::ranges::copy(part, in.begin());
    const std::size_t rows = (part.size() + kColumns - 1) / kColumns;
    std::fill(in.begin() + static_cast<std::ptrdiff_t>(part.size()), in.end(), 0.0f);
    const Sizes sizes{(rows + kRowMultiple - 1) / kRowMultiple * kRowMultiple, kColumns};
    op.reference(arrays.call(sizes, attributes));
    std::copy_n(out.begin(), part.size(), part.begin());
  }
}

TileCost cycles_an_element(const Operator& op, const Rate& gelu) {
  const std::string name = "operator " + op.name + ": ";
  const std::optional<TileCost> cost = op.cost ? op.cost({kMostRows, kColumns}) : std::nullopt;
  if (!cost) return {gelu.value, Provenance::assumed, name + "as GELU, its own cost is not known"};
  const double cycles = cost->cycles / (kMostRows * kColumns);
  if (cost->provenance != Provenance::measured && cycles < gelu.value) {
    return {gelu.value, Provenance::assumed, name + "as GELU, its own cost is a lower bound below"};
  }
  return {cycles, cost->provenance, name + cost->source};
}

}  // namespace wnpu::npu
