#include "npu/first_light/regions.h"

#include <algorithm>
#include <cstdlib>
#include <cstring>

#include "npu/kernel/bf16.h"

namespace wnpu::npu {
namespace {

constexpr std::string_view kNormed = "normed";
constexpr std::string_view kKeysAndValues = "keys and values";
constexpr std::string_view kMiddle = "states after attention";
constexpr std::string_view kResult = "output";

std::uint16_t word_at(std::span<const std::byte> bytes, std::size_t offset) {
  std::uint16_t word = 0;
  std::memcpy(&word, &bytes[offset], sizeof(word));
  return word;
}

bool is_nan(std::uint16_t bits) { return (bits & 0x7fffu) > 0x7f80u; }

// In the order of the numbers; both zeros are next to each other.
std::int32_t rank(std::uint16_t bits) {
  const std::int32_t size = bits & 0x7fff;
  return (bits & 0x8000u) != 0 ? -size - 1 : size;
}

// The only element that is not zero, of rows read out of memory that has only that one.
std::optional<Place> only_element(std::string_view matrix, std::span<const float> rows,
                                  std::size_t columns) {
  const auto found = std::ranges::find_if(rows, [](float value) { return value != 0; });
  if (found == rows.end()) return std::nullopt;
  const auto at = static_cast<std::size_t>(found - rows.begin());
  return Place{std::string(matrix), at / columns, at % columns};
}

std::optional<Place> place_in_states(const LayerGeometry& g, std::string_view name,
                                     std::span<const std::byte> states) {
  std::vector<float> rows(g.shape.frames * g.shape.width);
  unpack_states(g, states, rows, g.shape.width);
  return only_element(name, rows, g.shape.width);
}

std::optional<Place> place_in_part(const LayerGeometry& g, std::string_view name, ScratchPart part,
                                   std::span<const std::byte> scratch) {
  const std::size_t columns = part == ScratchPart::hidden ? g.shape.hidden : g.shape.width;
  std::vector<float> rows(g.shape.frames * columns);
  read_scratch(g, part, scratch, rows, columns);
  return only_element(name, rows, columns);
}

}  // namespace

std::vector<ComparedRegion> layer_regions(const LayerGeometry& g) {
  const auto scratch = [](std::string_view name, std::size_t begin, std::size_t end) {
    return ComparedRegion{std::string(name), index_of(LayerArgument::scratch), begin, end - begin};
  };
  return {scratch("query", g.query_offset, g.key_value_offset),
          scratch(kKeysAndValues, g.key_value_offset, g.attention_offset),
          scratch("attention", g.attention_offset, g.normed_offset),
          scratch(kNormed, g.normed_offset, g.states_offset),
          scratch(kMiddle, g.states_offset, g.hidden_offset),
          scratch("hidden", g.hidden_offset, g.padding_offset),
          {std::string(kResult), index_of(LayerArgument::output), 0, g.states_bytes}};
}

ComparedRegion product_region(const GemmProblem& problem) {
  return {"result", 2, 0, problem.m * problem.n * 2};
}

std::optional<Place> place_in_layer(const LayerGeometry& g, const ComparedRegion& region,
                                    std::size_t element) {
  std::vector<std::byte> argument(
      region.argument == index_of(LayerArgument::scratch) ? g.scratch_bytes : g.states_bytes);
  const bfloat16 one = to_bfloat16(1);
  std::memcpy(&argument[region.offset + 2 * element], &one, sizeof(one));
  const std::span<const std::byte> bytes(argument);
  if (region.name == kResult) return place_in_states(g, kResult, bytes);
  if (region.name == kMiddle) {
    return place_in_states(g, kMiddle, bytes.subspan(g.states_offset, g.states_bytes));
  }
  if (region.name == kKeysAndValues) {
    const auto key = place_in_part(g, "key", ScratchPart::key, bytes);
    return key ? key : place_in_part(g, "value", ScratchPart::value, bytes);
  }
  if (region.name == kNormed) {
    if (g.precision == Precision::int8) return std::nullopt;
    return place_in_part(g, kNormed, ScratchPart::normed, bytes);
  }
  const ScratchPart part = region.name == "query"       ? ScratchPart::query
                           : region.name == "attention" ? ScratchPart::attention
                                                        : ScratchPart::hidden;
  return place_in_part(g, region.name, part, bytes);
}

// Tiles of 4x4 blocks, a row of tiles after the other (gemm_design.cpp).
Place place_in_product(const GemmProblem& p, std::size_t element) {
  const std::size_t tile = element / (p.tile_m * p.tile_n);
  const std::size_t in_tile = element % (p.tile_m * p.tile_n);
  const std::size_t block = in_tile / 16;
  const std::size_t tiles_a_row = p.n / p.tile_n;
  const std::size_t blocks_a_row = p.tile_n / 4;
  return {"result", tile / tiles_a_row * p.tile_m + block / blocks_a_row * 4 + in_tile % 16 / 4,
          tile % tiles_a_row * p.tile_n + block % blocks_a_row * 4 + in_tile % 4};
}

std::optional<Difference> compare(const ComparedRegion& region, std::span<const std::byte> expected,
                                  std::span<const std::byte> found) {
  const auto a = expected.subspan(region.offset, region.bytes);
  const auto b = found.subspan(region.offset, region.bytes);
  if (std::ranges::equal(a, b)) return std::nullopt;
  Difference d;
  d.region = region.name;
  d.compared = region.elements();
  for (std::size_t i = 0; i < region.elements(); ++i) {
    const std::uint16_t x = word_at(a, 2 * i);
    const std::uint16_t y = word_at(b, 2 * i);
    if (x == y) continue;
    if (d.differing++ == 0) {
      d.element = i;
      d.expected = x;
      d.found = y;
    }
    if (is_nan(x) || is_nan(y)) continue;
    const auto apart = static_cast<std::uint32_t>(std::abs(rank(x) - rank(y)));
    d.max_ulp = std::max(d.max_ulp.value_or(0), apart);
  }
  return d;
}

}  // namespace wnpu::npu
