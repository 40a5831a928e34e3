#include "npu/first_light/microbenchmarks/microbenchmarks.h"

#include <utility>

#include "npu/first_light/microbenchmarks/microbenchmark_design.h"

namespace wnpu::npu {
namespace {

constexpr std::uint32_t kGeluElements = 512;
constexpr double kStreamBytes = 4;  // a cycle (AM020 ch. 2: streams of 32 bits)

PhaseHeader call_gelu_rows(std::uint32_t outer) {
  return {.kernel = Kernel::gelu, .outer = outer, .m = 1, .k = kGeluElements};
}

PhaseHeader call_norm_rows(std::uint32_t outer) {
  return {.kernel = Kernel::layer_norm, .outer = outer, .m = 4, .k = 1024};
}

struct Tile {
  std::uint32_t m = 64, k = 64, n = 64;
};
PhaseHeader call_product(std::uint32_t outer, std::uint32_t inner, Tile tile = {},
                         Epilogue epilogue = Epilogue::bias) {
  return {Kernel::gemm_bf16, epilogue, outer, inner, tile.m, tile.k, tile.n, 0, false};
}

NamedDesign gauge(const Target& target, const std::string& what, const MicrobenchmarkCall& call) {
  const std::string name = "gauge_" + what;
  return {name, microbenchmark_design(target, name, call)};
}

// (more - less) / units
Microbenchmark pair(const Target& target, Quantity quantity, const std::string& name,
                    const std::pair<MicrobenchmarkCall, MicrobenchmarkCall>& less_more,
                    double units) {
  return {quantity,
          {{gauge(target, name + "_less", less_more.first), -1},
           {gauge(target, name + "_more", less_more.second), 1}},
          units};
}

// Next to nothing to multiply, and 8 KB on a core's streams all the same.
Microbenchmark stream_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 200;
  constexpr std::uint32_t kMore = 400;
  constexpr Tile kTile{8, 8, 8};
  return pair(target, Quantity::stream_cycle, "stream",
              {{.phase = call_product(1, kLess, kTile)}, {.phase = call_product(1, kMore, kTile)}},
              (kMore - kLess) * kElementBytes / kStreamBytes);
}

Microbenchmark register_benchmark(const Target& target) {
  constexpr std::size_t kLocks = 40;  // a mem tile has 64
  return {Quantity::register_write,
          {{short_call(target), -1},
           {gauge(target, "locks", {.phase = call_gelu_rows(1), .idle_locks = kLocks}), 1}},
          static_cast<double>(kLocks) * target.all_columns()};
}

// A step takes 2048 cycles of a core's streams and eight tasks, so that they wait for nothing but
// the controller.
Microbenchmark task_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 64;
  constexpr std::uint32_t kMore = 192;
  constexpr Tile kTile{8, 8, 8};
  return pair(target, Quantity::task, "tasks",
              {{.phase = call_product(1, kLess, kTile), .is_scattered = true},
               {.phase = call_product(1, kMore, kTile), .is_scattered = true}},
              static_cast<double>(kMore - kLess) * (target.all_columns() + target.core_rows));
}

Microbenchmark product_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 64;
  constexpr std::uint32_t kMore = 128;
  return pair(target, Quantity::product_step, "product",
              {{.phase = call_product(1, kLess), .has_local_a = true},
               {.phase = call_product(1, kMore), .has_local_a = true}},
              kMore - kLess);
}

MicrobenchmarkTerm call_tiles(const Target& target, std::uint32_t n, Epilogue epilogue,
                              double weight) {
  const char* const what = epilogue == Epilogue::bias_gelu ? "_tiles_gelu" : "_tiles_bias";
  return {
      gauge(
          target, std::to_string(n) + what,
          {.phase = call_product(n, 4, {}, epilogue), .has_local_a = true, .keeps_results = true}),
      weight};
}

Microbenchmark gelu_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 16;
  constexpr std::uint32_t kMore = 48;
  return {
      Quantity::gelu_tile,
      {call_tiles(target, kLess, Epilogue::bias, 1), call_tiles(target, kMore, Epilogue::bias, -1),
       call_tiles(target, kLess, Epilogue::bias_gelu, -1),
       call_tiles(target, kMore, Epilogue::bias_gelu, 1)},
      kMore - kLess};
}

// A row's elements come one after the other to all its cores, which hold two: so many cores of a
// row work at a time, and the others wait.
Microbenchmark norm_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 16;
  constexpr std::uint32_t kMore = 48;
  constexpr double kHeld = 2;
  return pair(target, Quantity::norm_rows, "norm",
              {{.phase = call_norm_rows(kLess), .has_local_a = true, .keeps_results = true},
               {.phase = call_norm_rows(kMore), .has_local_a = true, .keeps_results = true}},
              static_cast<double>(kMore - kLess) * target.columns / kHeld);
}

// Tiles of 8 rows: B of 8 KB on every column, and little to do with it.
Microbenchmark read_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 256;
  constexpr std::uint32_t kMore = 512;
  constexpr Tile kTile{8, 64, 64};
  const double a = 2.0 * kTile.m * kTile.k * target.core_rows;
  const double b = 2.0 * kTile.k * kTile.n * target.all_columns();
  return pair(target, Quantity::ddr_read, "read",
              {{.phase = call_product(1, kLess, kTile)}, {.phase = call_product(1, kMore, kTile)}},
              (kMore - kLess) * (a + b));
}

// Tiles of depth 8: a result of 8 KB a core for next to nothing.
Microbenchmark write_benchmark(const Target& target) {
  constexpr std::uint32_t kLess = 16;
  constexpr std::uint32_t kMore = 48;
  constexpr Tile kTile{64, 8, 64};
  const double cores = static_cast<double>(target.columns) * target.core_rows;
  return pair(target, Quantity::ddr_write, "write",
              {{.phase = call_product(kLess, 1, kTile)}, {.phase = call_product(kMore, 1, kTile)}},
              (kMore - kLess) * cores * 2 * kTile.m * kTile.n);
}

TunedLayer attended_layer(const Target& target, std::size_t frames, std::size_t heads) {
  return tuned_layer(target, {frames, heads * kHeadWidth, heads, kHeadWidth}, Precision::bf16,
                     {.attends_padding = false});
}

NamedDesign attend_call(const Target& target, std::size_t frames, std::size_t heads) {
  const std::string name = "gauge_attend_" + std::to_string(frames) + "_" + std::to_string(heads);
  return {name,
          layer_design(attended_layer(target, frames, heads), {LayerOp::attend, LayerOp::attend})};
}

// The layer's own attention. Heads more are waves of queries more, each with its start and end and
// as many steps as there are blocks of keys; a window of twice the length has twice the steps, and
// `more` times the waves. So `more` times the short windows' difference has the same starts and
// ends.
Microbenchmark attention_benchmark(const Target& target) {
  constexpr std::size_t kShort = 768;
  constexpr std::size_t kLong = 1536;
  constexpr std::size_t kFewer = 2;
  constexpr std::size_t kMore = 4;
  const std::size_t waves = attended_layer(target, kLong, kFewer).geometry.waves;
  const double more = static_cast<double>(waves) /
                      static_cast<double>(attended_layer(target, kShort, kFewer).geometry.waves);
  return {Quantity::attention_step,
          {{attend_call(target, kLong, kMore), 1},
           {attend_call(target, kLong, kFewer), -1},
           {attend_call(target, kShort, kMore), -more},
           {attend_call(target, kShort, kFewer), more}},
          static_cast<double>((kMore - kFewer) * waves * (kLong - kShort) / kKeys)};
}

}  // namespace

std::vector<Microbenchmark> microbenchmarks(const Target& target) {
  std::vector<Microbenchmark> all;
  for (const auto make :
       {stream_benchmark, register_benchmark, task_benchmark, attention_benchmark,
        product_benchmark, gelu_benchmark, norm_benchmark, read_benchmark, write_benchmark}) {
    all.push_back(make(target));
  }
  return all;
}

NamedDesign short_call(const Target& target) {
  return gauge(target, "short", {.phase = call_gelu_rows(1)});
}

std::vector<NamedDesign> trial_calls(const LayerGeometry& geometry) {
  std::vector<NamedDesign> calls{tile_call(*geometry.target), product_call(geometry)};
  for (NamedDesign& call : batched_calls(geometry)) calls.push_back(std::move(call));
  calls.push_back(fused_call(geometry));
  for (Microbenchmark& benchmark : microbenchmarks(*geometry.target)) {
    for (MicrobenchmarkTerm& term : benchmark.terms) calls.push_back(std::move(term.call));
  }
  return calls;
}

}  // namespace wnpu::npu
