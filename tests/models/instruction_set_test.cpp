// The choice of the kernels' instruction set. What the kernels give is compared elsewhere, target
// by target (gemm_test.cpp), and for a whole transcription by instruction_sets_test.sh.
#include "models/kernels/vectors/instruction_set.h"

#include <algorithm>
#include <string>

#include <doctest/doctest.h>
#include <hwy/targets.h>

#include "models/kernels/operands/f32_matrix.h"

using namespace wnpu::kernels;
using namespace wnpu::models;  // NOLINT: the names under test

namespace {

// How many numbers of 32 bits are in them.
std::size_t two_vectors(InstructionSet set) {
  switch (set) {
    case InstructionSet::amx:
    case InstructionSet::avx3_dl:
    case InstructionSet::avx3_vnni:
    case InstructionSet::avx3:
      return 32;
    case InstructionSet::avx2_vnni:
    case InstructionSet::avx2:
      return 16;
    case InstructionSet::scalar:
      return 2;
    default:
      return 8;
  }
}

}  // namespace

TEST_CASE("instruction set: each of the machine's can be chosen, and is then used") {
  const std::vector<InstructionSet> all = instruction_sets();
  REQUIRE(!all.empty());
#if defined(__aarch64__)  // all ARM of 64 bits has NEON
  CHECK(all.back() == InstructionSet::neon);
#else
  REQUIRE(all.size() >= 2);
  CHECK(all.back() == InstructionSet::scalar);
#endif
  CHECK(instruction_set() == all.front());
  for (const InstructionSet set : all) {
    CHECK(use_instruction_set(set));
    CHECK(instruction_set() == set);
    CHECK(F32Matrix(1, 1).panel_cols() == two_vectors(set));
    CHECK(instruction_sets() == all);
  }
  CHECK(use_instruction_set(all.front()));
}

TEST_CASE("instruction set: one that the machine lacks changes nothing") {
  const InstructionSet before = instruction_set();
  for (std::size_t i = 0; i < kInstructionSetNames.size(); ++i) {
    const auto set = static_cast<InstructionSet>(i);
    const auto& all = instruction_sets();
    if (std::ranges::find(all, set) == all.end()) CHECK(!use_instruction_set(set));
  }
  CHECK(instruction_set() == before);
}

TEST_CASE("instruction set: names in capitals or not") {
  for (std::size_t i = 0; i < kInstructionSetNames.size(); ++i) {
    const auto set = static_cast<InstructionSet>(i);
    std::string lower(instruction_set_name(set));
    CHECK(parse_instruction_set(lower) == set);
    std::ranges::transform(lower, lower.begin(), [](char c) { return c == '_' ? c : c | 0x20; });
    CHECK(parse_instruction_set(lower) == set);
  }
  for (const char* name : {"", "avx", "AVX9", "sse", "Unknown"})
    CHECK(!parse_instruction_set(name));
}

TEST_CASE("instruction set: the list for all machines has each that there are kernels for") {
  std::size_t compiled = 5;  // amx, the two with VNNI, and ARM's two
  for (int bit = 0; bit < 63; ++bit) {
    const std::int64_t target = std::int64_t{1} << bit;
    if ((HWY_TARGETS & target) == 0) continue;
    CAPTURE(hwy::TargetName(target));
    CHECK(parse_instruction_set(hwy::TargetName(target)).has_value());
    ++compiled;
  }
#ifndef HWY_DISABLED_TARGETS
  CHECK(compiled == kInstructionSetNames.size());
#endif
}
