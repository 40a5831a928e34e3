// Files keep what packing makes: a change of it has to change the layout's number in
// models/weights/prepacked_weights.cpp, and what stands here.
#include <cstdint>
#include <map>
#include <random>

#include <doctest/doctest.h>

#include "models/base/thread_pool.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/pack_weights.h"

using namespace wnpu;

namespace {

std::uint64_t fnv1a(std::span<const std::byte> bytes, std::uint64_t hash) {
  for (const std::byte byte : bytes)
    hash = (hash ^ std::to_integer<std::uint64_t>(byte)) * 0x100000001b3U;
  return hash;
}

std::uint64_t hash_of(const kernels::PackedB& side) {
  std::uint64_t hash = fnv1a({side.panel(0), side.size_bytes()}, 0xcbf29ce484222325U);
  hash = fnv1a(std::as_bytes(side.scales()), hash);
  hash = fnv1a(std::as_bytes(side.sums()), hash);
  const float limit = side.left_limit();
  return fnv1a(std::as_bytes(std::span(&limit, 1)), hash);
}

}  // namespace

TEST_CASE("packing: layout 4 is what it was when files were made of it") {
  using kernels::DataType;
  constexpr std::size_t kRows = 77;
  constexpr std::size_t kColumns = 53;
  std::mt19937 random(3);
  models::Matrix weights(kRows, kColumns);
  // Multiples of 2^-16, which every compiler rounds alike.
  for (float& value : weights.flat())
    value = static_cast<float>(static_cast<int>(random() % 65536) - 32768) / 65536.0F;
  const kernels::InstructionSet before = kernels::instruction_set();
  models::ThreadPool pool(1);
  for (const kernels::InstructionSet set : kernels::instruction_sets()) {
    REQUIRE(kernels::use_instruction_set(set));
    std::uint64_t all = 0;
    for (const DataType number : {DataType::f32, DataType::f16, DataType::bf16, DataType::i16,
                                  DataType::i8, DataType::u8}) {
      all = all * 31 + hash_of(models::pack_weights(pool, weights.view(), number));
    }
    CAPTURE(kernels::instruction_set_name());
    // By the columns of a panel and the bits of a byte's side, which is all that differs between
    // instruction sets.
    constexpr std::uint64_t kOfSevenBits = 10862334942965002202U;
    const std::map<std::size_t, std::uint64_t> known{{2, 10003051098303303263U},
                                                     {8, 499769602642892783U},
                                                     {16, 18332182161902413907U},
                                                     {32, 10565100791988016383U}};
    const bool has_seven = kernels::byte_limits().right < 127;
    CHECK(all == (has_seven ? kOfSevenBits : known.at(kernels::gemm_panel_cols())));
  }
  REQUIRE(kernels::use_instruction_set(before));
}
