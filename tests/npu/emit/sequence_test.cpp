// The text of a sequence with every kind of operation, and what mlir-aie makes of it
// (tests/data/README.md).
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <doctest/doctest.h>

#include "npu/emit/module_parts.h"
#include "tests/npu/emit/mlir_reader.h"

using namespace wnpu::npu;    // NOLINT
using namespace wnpu::tests;  // NOLINT

namespace {

std::string golden_text(const std::string& name) {
  std::ifstream file(std::filesystem::path(WNPU_SOURCE_DIR) / "tests/data/control" / name,
                     std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

Design two_arguments() {
  Design design;
  design.target = &npu1();
  design.memories = {{"input", true, 4096, {}, 0, 0}, {"key values", true, 8192, {}, 0, 0}};
  return design;
}

ControlProgram every_operation() {
  constexpr TileId kShim{TileKind::shim, 2, 0};
  constexpr TileId kMem{TileKind::mem, 3, 0};
  BufferDescriptor ddr;
  ddr.length = 256;
  ddr.burst = 2;
  BufferDescriptor ring;
  ring.length = 2048;
  ring.address = kOwnMemTileAddress;
  ring.acquire = LockChange{kOwnMemTileLock, -1};
  ring.release = LockChange{kOwnMemTileLock + 1, 1};
  ring.iterations = 4;
  ring.iteration_step = 2048;
  const DmaPort in{kMem, Direction::s2mm, 0};
  const DmaPort out{kShim, Direction::mm2s, 1};
  return {array_shape(npu1()),
          {SetLock{kMem, 5, 63}, WriteBlock{data_address({TileKind::core, 1, 3}, 64), {1, ~0u, 7}},
           WriteDescriptor{kMem, 0, ring}, RouteTokens{in, 15}, PushTask{in, 0, 256, true},
           WriteDescriptor{kShim, 3, ddr}, PatchAddress{ddr_address_register(kShim, 3), 1, 4096},
           PushTask{out, 3, 1, true}, WriteDescriptor{kShim, 4, ddr},
           WriteRegister{0x80000000u >> 4, 0xffffffffu}, WriteMasked{0x32000, 3, 0x7},
           WaitForTokens{out, 1, 1}, WaitForTokens{in, 2, 1}}};
}

std::string module_of_golden() {
  const SequenceText text = sequence_text("every", two_arguments(), every_operation());
  return "module {\n aie.device(npu1) {\n" + text.globals + text.sequence + " }\n}\n";
}

}  // namespace

TEST_CASE("emit: a sequence with every operation is the text that mlir-aie's tools were given") {
  CHECK(module_of_golden() == golden_text("every.mlir"));
}

TEST_CASE("emit: mlir-aie makes our bytes of that text") {
  const std::string theirs = golden_text("every.bin");
  REQUIRE(!theirs.empty());
  std::string ours;
  for (const std::byte b : encode(every_operation())) ours += static_cast<char>(b);
  CHECK(ours == theirs);
  const ReadModule read = MlirReader::read(golden_text("every.mlir"));
  std::string of_text;
  for (const std::byte b : encode({array_shape(npu1()), read.sequences.at("every")})) {
    of_text += static_cast<char>(b);
  }
  CHECK(of_text == theirs);
}
