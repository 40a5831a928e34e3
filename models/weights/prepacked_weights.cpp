#include "models/weights/prepacked_weights.h"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/kernels/vectors/blas.h"
#include "models/kernels/vectors/half_floats.h"
#include "models/kernels/vectors/instruction_set.h"

namespace wnpu::models {
namespace {

using kernels::DataType;

// In the order of Number.
constexpr std::array<std::string_view, 7> kNumberNames{"f32", "f16", "bf16", "i16",
                                                       "i8",  "u8",  "u4"};

std::string_view name_of(DataType number) { return kNumberNames[static_cast<std::size_t>(number)]; }

std::string full_key(const WantedOperand& wanted) {
  return wanted.key + "|" + std::string(name_of(wanted.number));
}

[[noreturn]] void fail_operand(const WantedOperand& wanted, const std::string& expected,
                               const std::string& found) {
  throw ModelError(wanted.name + ", packed as " + std::string(name_of(wanted.number)) +
                   ": expected " + expected + ", found " + found +
                   ": the file is damaged; models convert makes it anew");
}

DataType stored_number(const PackedOperand& operand, const WantedOperand& wanted) {
  const auto* const known = std::ranges::find(kNumberNames, operand.number);
  const auto number = static_cast<DataType>(known - kNumberNames.begin());
  const bool fits =
      number == wanted.number || (number == DataType::f32 && wanted.number == DataType::f16);
  if (known == kNumberNames.end() || !fits)
    fail_operand(wanted, "its number", operand.number.substr(0, 8));
  return number;
}

void check_numbers(const PackedOperand& operand, const WantedOperand& wanted, DataType number,
                   std::size_t n_columns) {
  const bool is_i16 = number == DataType::i16 || number == DataType::i8;
  const bool is_scaled = is_i16 || number == DataType::u8 || number == DataType::u4;
  const std::size_t n_scales = is_scaled ? n_columns : 0;
  const std::size_t n_sums = number == DataType::u8 ? n_columns : 0;
  const auto is_basis = [&](std::span<const float> part) {
    return part.empty() || part.size() == wanted.k;
  };
  if (operand.scales.size() != n_scales || operand.sums.size() != n_sums ||
      !is_basis(operand.centre) || !is_basis(operand.balance)) {
    fail_operand(wanted, "a number a column", "others");
  }
  for (const auto& part : {operand.scales, operand.sums, operand.centre, operand.balance})
    if (!kernels::all_finite(part)) fail_operand(wanted, "finite numbers", "others");
  constexpr float kMostLeft = 32767;  // of int16
  const float limit = operand.left_limit;
  if (!(limit >= 0 && limit <= kMostLeft)) fail_operand(wanted, "a limit of int16", "another");
}

std::vector<float> copy_of(std::span<const float> part) { return {part.begin(), part.end()}; }

}  // namespace

Packing present_packing() {
  // Goes up with each change of what packing makes, to which tests/app/model_store/packing_test.cpp
  // holds it, and of the numbers that a precision takes. WNPU_VERSION: models/CMakeLists.txt.
  constexpr std::string_view kBuild = "layout 4, version " WNPU_VERSION ", compiler " __VERSION__;
  return {std::string(kBuild), std::string(kernels::instruction_set_name())};
}

std::optional<PrepackedWeights> find_stored(const OperandStore* store,
                                            const WantedOperand& wanted) {
  if (store == nullptr || kernels::gemm_in_use() != kernels::Gemm::own) return std::nullopt;
  const PackedOperand* const found = store->find(full_key(wanted));
  if (found == nullptr || store->packing() != present_packing()) return std::nullopt;
  if (found->k != wanted.k || found->n != wanted.n) fail_operand(wanted, "its extents", "others");
  const DataType number = stored_number(*found, wanted);
  const std::size_t cols = kernels::gemm_panel_cols();
  const std::size_t size = kernels::PackedB::bytes_of(number, wanted.k, wanted.n);
  if (found->panel_cols != cols || found->panels.size() != size)
    fail_operand(wanted, std::to_string(size) + " bytes of panels",
                 std::to_string(found->panels.size()));
  check_numbers(*found, wanted, number, (wanted.n + cols - 1) / cols * cols);
  if (!wanted.is_copied) populate_pages(found->panels);
  kernels::StoredSide side{.number = number,
                           .k = wanted.k,
                           .n = wanted.n,
                           .panels = found->panels,
                           .scales = copy_of(found->scales),
                           .sums = copy_of(found->sums),
                           .left_limit = found->left_limit,
                           .is_copied = wanted.is_copied};
  return PrepackedWeights{kernels::PackedB(std::move(side)), copy_of(found->centre),
                          copy_of(found->balance)};
}

void keep_stored(OperandStore* store, const WantedOperand& wanted, const kernels::PackedB& made,
                 const std::vector<float>& centre, const std::vector<float>& balance) {
  if (store == nullptr || made.is_one_panel()) return;
  store->keep(full_key(wanted),
              {.number = std::string(name_of(made.number())),
               .k = made.k(),
               .n = made.n(),
               .panel_cols = made.panel_cols(),
               .left_limit = made.left_limit(),
               .panels = {made.n_panels() == 0 ? nullptr : made.panel(0), made.size_bytes()},
               .scales = made.scales(),
               .sums = made.sums(),
               .centre = centre,
               .balance = balance});
}

}  // namespace wnpu::models
