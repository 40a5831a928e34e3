// Results of emitted calls in an emulator of npu1 that knows registers, descriptors, locks and
// streams, and nothing of this project (tests/data/README.md): the simulator's, bit for bit.
#include <cstring>
#include <filesystem>
#include <fstream>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/design/layer_design.h"
#include "npu/sim/compile_call.h"
#include "npu/sim/simulator.h"
#include "tests/support/whisper_sizes.h"

using namespace wnpu;       // NOLINT
using namespace wnpu::npu;  // NOLINT

namespace {

std::string fnv(std::span<const std::byte> bytes) {
  std::uint64_t state = 0xcbf29ce484222325ull;
  for (const std::byte b : bytes) state = (state ^ static_cast<std::uint64_t>(b)) * 0x100000001b3u;
  return hash_text(state);
}

// As `npu emit --size SIZE --plan gemm` and `--plan fused` have them.
Design design_of(const std::string& size, const std::string& call) {
  const EncoderShape s = size == "tiny" ? tests::kTiny : tests::kBase;
  const LayerGeometry g =
      layer_geometry(npu1(), {1500, s.width, s.heads, s.hidden}, Precision::bf16);
  if (call == "layer") return layer_design(g);
  REQUIRE(call == "gemm");
  return gemm_design(npu1(), {g.rows, s.width, s.width, 64, 64, g.state_tile(), false});
}

// Random bf16 of 2^-9 to 1 and their negatives, one argument after the other.
std::vector<std::vector<std::byte>> arguments_of(const Design& design) {
  std::mt19937 random(1);
  std::vector<std::vector<std::byte>> arguments;
  for (std::size_t i = 0; i < design.n_arguments(); ++i) {
    auto& bytes = arguments.emplace_back(design.memories[i].bytes);
    for (std::size_t at = 0; at + 1 < bytes.size(); at += 2) {
      const auto x = static_cast<std::uint32_t>(random());
      const auto value =
          static_cast<std::uint16_t>((x & 0x8000) | (118 + (x >> 20) % 9) << 7 | (x & 0x7f));
      std::memcpy(&bytes[at], &value, sizeof(value));
    }
  }
  return arguments;
}

void simulate_on(const Design& design, std::vector<std::vector<std::byte>>& arguments) {
  const std::vector<std::span<std::byte>> spans(arguments.begin(), arguments.end());
  const HardwareModel preset = find_preset(kDefaultPreset);
  WorkerPool pool(1);
  const ControlProgram program = compile_call(design, preset).program.program;
  simulate(encoded_call(design, program), {.preset = &preset}, {spans, &pool});
}

}  // namespace

TEST_CASE("emulator: what calls leave in DDR there is what the simulator leaves") {
  const auto path = std::filesystem::path(WNPU_SOURCE_DIR) / "tests/data/emulator/results.tsv";
  std::ifstream file(path);
  std::size_t n_calls = 0;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with('#')) continue;
    std::istringstream fields(line);
    std::string size, call, stream;
    fields >> size >> call >> stream;
    CAPTURE(size);
    CAPTURE(call);
    const Design design = design_of(size, call);
    const std::string ours = fnv(encode(control_program(design).program));
    if (ours != stream) MESSAGE("another stream than the one that was run there: ", ours);
    auto arguments = arguments_of(design);
    simulate_on(design, arguments);
    for (const auto& bytes : arguments) {
      std::string theirs;
      fields >> theirs;
      CHECK(fnv(bytes) == theirs);
    }
    ++n_calls;
  }
  CHECK(n_calls > 0);
}
