// Cases that npu/xrt/xrt_device must pass on any XRT: the noop driver of 2.13 and the real
// libraries of 2.25.
#include <algorithm>
#include <cstring>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/device_fixture.h"
#include "tests/xdna_mock/overlay_folder.h"

namespace wnpu::tests {

namespace {

std::span<std::int32_t> elements(npu::Buffer& buffer) {
  const std::span<std::byte> bytes = buffer.host();
  return {reinterpret_cast<std::int32_t*>(bytes.data()), bytes.size() / sizeof(std::int32_t)};
}

}  // namespace

AdderBuffers::AdderBuffers(npu::Program& program, std::size_t n_elements)
    : a(program.allocate(n_elements * 4, 0)),
      b(program.allocate(n_elements * 4, 1)),
      out(program.allocate(n_elements * 4, 2)) {
  for (std::size_t i = 0; i < n_elements; ++i) {
    elements(*a)[i] = static_cast<std::int32_t>(i + 1);
    elements(*b)[i] = static_cast<std::int32_t>(100 * (i + 1));
    elements(*out)[i] = -1;
  }
  a->to_device();
  b->to_device();
  out->to_device();
}

bool AdderBuffers::holds_sums(std::int32_t times) {
  out->from_device();
  const auto sums = elements(*out);
  for (std::size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] != static_cast<std::int32_t>(i + 1) * (1 + 100 * times)) return false;
  }
  return true;
}

namespace {

using npu::Design;

StandInCall adder_call(std::size_t n_elements) {
  StandInCall call;
  call.adder_elements = n_elements;
  return call;
}

struct Adder {
  static constexpr std::size_t kElements = 3000;  // not a multiple of a page
  StandInCall call = adder_call(kElements);
  Design design = design_of(call);
  OverlayFolder folder{std::span(&call, 1)};
  std::unique_ptr<npu::Device> device =
      open_device_under_test({.bdf = {}, .xclbin = folder.xclbin()});
  std::unique_ptr<npu::Program> program = device->load(design);
};

std::string open_error(const std::filesystem::path& xclbin) {
  return device_error([&] { open_device_under_test({.bdf = {}, .xclbin = xclbin}); });
}

}  // namespace

TEST_CASE("xrt: a call computes on what was synced to the device") {
  Adder adder;
  AdderBuffers buffers(*adder.program, Adder::kElements);
  adder.program->run(buffers.arguments(), kPatience);
  CHECK(buffers.holds_sums(1));
  CHECK(adder.device->stats().launches == 1);
  CHECK(adder.device->stats().submissions == 1);
  CHECK(contains(std::string(adder.device->description()), "XRT 2."));
}

TEST_CASE("xrt: a list of calls runs in order, each on the results of those before") {
  Adder adder;
  AdderBuffers buffers(*adder.program, Adder::kElements);
  adder.program->run(buffers.arguments(), kPatience);
  std::vector<npu::Buffer*> again = {buffers.out.get(), buffers.b.get(), buffers.out.get()};
  // More than two runlists of 24.
  const std::vector<npu::Run> runs(51, npu::Run{adder.program.get(), again});
  adder.device->reset_stats();
  adder.device->run_all(runs, kPatience);
  CHECK(buffers.holds_sums(52));
  CHECK(adder.device->stats().launches == 51);
  adder.device->run_all(runs, kPatience);
  CHECK(buffers.holds_sums(103));
}

TEST_CASE("xrt: a program runs on other buffers each time") {
  Adder adder;
  AdderBuffers first(*adder.program, Adder::kElements);
  AdderBuffers second(*adder.program, Adder::kElements);
  for (int i = 0; i < 3; ++i) {
    adder.program->run(first.arguments(), kPatience);
    adder.program->run(std::vector<npu::Buffer*>{second.a.get(), first.b.get(), second.out.get()},
                       kPatience);
    CHECK(first.holds_sums(1));
    CHECK(second.holds_sums(1));
  }
}

TEST_CASE("xrt: a program leaves, and its commands with it") {
  Adder adder;
  for (int i = 0; i < 20; ++i) {
    const auto program = adder.device->load(adder.design);
    AdderBuffers buffers(*program, Adder::kElements);
    program->run(buffers.arguments(), kPatience);
    CHECK(buffers.holds_sums(1));
  }
}

TEST_CASE("xrt: arguments are checked against the design before the device sees them") {
  Adder adder;
  AdderBuffers buffers(*adder.program, Adder::kElements);
  const auto run = [&](std::vector<npu::Buffer*> arguments) {
    return device_error([&] { adder.program->run(arguments, kPatience); });
  };
  CHECK(contains(run({buffers.a.get(), buffers.b.get()}), "expected 3 arguments, found 2"));
  CHECK(contains(run({buffers.a.get(), nullptr, buffers.out.get()}),
                 "argument 1: expected a buffer of this device"));
  const auto small = adder.program->allocate(64, 2);
  CHECK(contains(run({buffers.a.get(), buffers.b.get(), small.get()}),
                 "argument 2: expected 12000 bytes, found 64"));
  const std::string no_bytes = device_error([&] { adder.program->allocate(0, 0); });
  CHECK(contains(no_bytes, "0 bytes"));
  const std::string no_argument = device_error([&] { adder.program->allocate(64, 5); });
  CHECK(contains(no_argument, "expected argument 0 to 4"));
  CHECK(adder.device->stats().launches == 0);
}

TEST_CASE("xrt: an overlay made from another design is refused, naming both hashes") {
  Adder adder;
  Design other = adder.design;
  other.core.stack_bytes += 32;
  const std::string error = device_error([&] { adder.device->load(other); });
  CHECK(contains(error, "expected overlay " + npu::hash_text(npu::overlay_hash(other))));
  CHECK(contains(error, "found " + npu::hash_text(npu::overlay_hash(adder.design))));
}

TEST_CASE("xrt: a design without an instruction stream is refused by its hash") {
  Adder adder;
  const Design larger = design_of(adder_call(2 * Adder::kElements));
  const std::string error = device_error([&] { adder.device->load(larger); });
  CHECK(contains(error, npu::hash_text(npu::design_hash(larger))));
}

TEST_CASE("xrt: what is wrong with the XCLBIN is said when it is opened") {
  const StandInCall call = adder_call(16);
  SUBCASE("missing") {
    CHECK(contains(open_error("/nowhere/npu1.xclbin"), "no file at /nowhere/npu1.xclbin"));
  }
  SUBCASE("no container") {
    const OverlayFolder folder(std::span(&call, 1));
    write_file(folder.xclbin(), "this is a text");
    CHECK(contains(open_error(folder.xclbin()), "npu1.xclbin: expected an XCLBIN, found 14 bytes"));
  }
  SUBCASE("no manifest") {
    const OverlayFolder folder(std::span(&call, 1));
    std::filesystem::remove(folder.xclbin().string() + ".json");
    CHECK(contains(open_error(folder.xclbin()), ".xclbin.json: expected the manifest"));
  }
  SUBCASE("other kernel") {
    const OverlayFolder folder(std::span(&call, 1), {.kernel = "vadd"});
    const std::string path = folder.xclbin().string();
    std::filesystem::copy_file(OverlayFolder(std::span(&call, 1)).xclbin().string() + ".json",
                               path + ".json", std::filesystem::copy_options::overwrite_existing);
    CHECK(contains(open_error(path), "expected MLIR_AIE*, found: vadd"));
  }
  SUBCASE("too many buffers") {
    const OverlayFolder folder(std::span(&call, 1), {.n_buffers = 8});
    CHECK(contains(open_error(folder.xclbin()), "1 to 7 buffers, found 8"));
  }
  SUBCASE("too few buffers for the design") {
    const OverlayFolder folder(std::span(&call, 1), {.n_buffers = 2});
    const auto device = open_device_under_test({.bdf = {}, .xclbin = folder.xclbin()});
    const std::string error = device_error([&] { device->load(design_of(call)); });
    CHECK(contains(error, "at most 2 arguments, found 3"));
  }
}

TEST_CASE("xrt: a fused layer gives the simulator's own bits, twice in one list") {
  StandInCall call;
  call.shape = {.frames = 50, .width = 128, .heads = 2, .hidden = 256};
  const Design design = design_of(call);
  const OverlayFolder folder(std::span(&call, 1));
  const auto device = open_device_under_test({.bdf = {}, .xclbin = folder.xclbin()});
  const auto program = device->load(design);

  // Random bytes of small bf16 numbers: the sign and the exponents 2^-3 to 2^0.
  std::mt19937 random(7);
  std::vector<std::vector<std::byte>> expected;
  std::vector<std::unique_ptr<npu::Buffer>> buffers;
  std::vector<npu::Buffer*> arguments;
  std::vector<std::span<std::byte>> spans;
  for (std::size_t i = 0; i < npu::kLayerArguments; ++i) {
    buffers.push_back(program->allocate(design.memories[i].bytes, static_cast<int>(i)));
    const std::span<std::byte> host = buffers.back()->host();
    for (std::size_t at = 0; at + 1 < host.size(); at += 2) {
      const auto bits = static_cast<std::uint16_t>(0x3e00 + (random() & 0x81ff));
      std::memcpy(host.data() + at, &bits, 2);
    }
    buffers.back()->to_device();
    expected.emplace_back(host.begin(), host.end());
    arguments.push_back(buffers.back().get());
  }
  for (auto& memory : expected) spans.emplace_back(memory);
  const std::vector<std::uint32_t> stream = to_stream(call);
  execute(stream, spans);
  execute(stream, spans);

  device->run_all(std::vector<npu::Run>(2, npu::Run{program.get(), arguments}), kPatience);
  npu::Buffer& output = *buffers.back();
  output.from_device();
  CHECK(std::memcmp(output.host().data(), expected.back().data(), expected.back().size()) == 0);
  const bool is_filled = std::any_of(expected.back().begin(), expected.back().end(),
                                     [](std::byte b) { return b != std::byte{0}; });
  CHECK(is_filled);
}

}  // namespace wnpu::tests
