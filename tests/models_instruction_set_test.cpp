// The choice of the kernels' instruction set. What the kernels give is compared elsewhere, target
// by target (models_gemm_test.cpp), and for a whole transcription by instruction_sets_test.sh.
#include <algorithm>
#include <string>

#include <doctest/doctest.h>

#include "models/instruction_set.h"
#include "models/packed_matrix.h"

using namespace wnpu::models;  // NOLINT: the names under test

TEST_CASE("instruction set: each of the machine's can be chosen, and is then used") {
  const std::vector<std::string> all = instruction_sets();
  REQUIRE(all.size() >= 2);
  CHECK(all.back() == "SCALAR");
  CHECK(instruction_set() == all.front());
  for (const std::string& name : all) {
    CHECK(use_instruction_set(name));
    CHECK(instruction_set() == name);
    CHECK(instruction_sets() == all);
  }
  CHECK(PackedMatrix(1, 1).panel_cols() == 2);  // two vectors of one lane
  std::string lower = all.front();
  std::ranges::transform(lower, lower.begin(), [](char c) { return c == '_' ? c : c | 0x20; });
  CHECK(use_instruction_set(lower));
  CHECK(instruction_set() == all.front());
}

TEST_CASE("instruction set: a name that is none changes nothing") {
  const std::string before(instruction_set());
  for (const char* name : {"", "avx", "AVX9", "sse", "Unknown"}) CHECK(!use_instruction_set(name));
  CHECK(instruction_set() == before);
}
