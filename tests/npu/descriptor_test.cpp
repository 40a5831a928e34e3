// Access patterns as registers hold them.
#include "npu/design/descriptor.h"

#include <cstdint>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/few_samples.h"

using namespace wnpu::npu;  // NOLINT

namespace {

Access access_of(std::uint32_t run, std::vector<Dimension> dims) {
  Access access;
  access.run = run;
  access.dims = std::move(dims);
  return access;
}

// The words that an access moves, in order, by the definition in design.h.
std::vector<std::int64_t> descriptor_words(const Access& access) {
  std::vector<std::int64_t> words;
  std::vector<std::uint32_t> at(access.dims.size(), 0);
  for (;;) {
    std::int64_t begin = 0;
    for (std::size_t i = 0; i < at.size(); ++i) begin += at[i] * access.dims[i].stride;
    for (std::uint32_t byte = 0; byte < access.run; byte += 4) words.push_back((begin + byte) / 4);
    std::size_t i = 0;
    while (i < at.size() && ++at[i] == access.dims[i].count) at[i++] = 0;
    if (i == at.size()) return words;
  }
}

// Word addresses of a descriptor: every dimension counts to its wrap and adds its step.
std::vector<std::int64_t> descriptor_words(const DescriptorPattern& pattern) {
  std::vector<std::int64_t> words;
  for (std::uint64_t word = 0; word < pattern.words; ++word) {
    std::uint64_t rest = word;
    std::int64_t address = pattern.dims.empty() ? static_cast<std::int64_t>(word) : 0;
    for (const Dimension& dim : pattern.dims) {
      address += static_cast<std::int64_t>(rest % dim.count) * dim.stride;
      rest /= dim.count;
    }
    words.push_back(address);
  }
  return words;
}

}  // namespace

TEST_CASE("descriptor: 1024 words in a row are two dimensions, for a wrap has ten bits") {
  const DescriptorFit fit = fit_descriptor(access_of(4096, {{2, 8192}}), npu1().shim_dma);
  CHECK(fit.fault.empty());
  REQUIRE(fit.pattern.dims.size() == 3);
  CHECK(fit.pattern.dims[0].count == 512);
  CHECK(fit.pattern.dims[1].count == 2);
  CHECK(fit.pattern.dims[1].stride == 512);
  CHECK(fit.pattern.dims[2].stride == 2048);
  // Contiguous data need a length and no wrap, however long.
  CHECK(fit_descriptor(access_of(4096, {{2, 4096}}), npu1().shim_dma).pattern.dims.empty());
  // A core's wraps have eight bits.
  CHECK(fit_descriptor(access_of(1024, {{2, 2048}}), npu1().core_dma).pattern.dims.size() == 3);
}

TEST_CASE("descriptor: what no register holds is refused, with what is allowed and found") {
  CHECK(fit_descriptor(access_of(4 * 1031, {{2, 8192}}), npu1().shim_dma).fault ==
        "wrap: expected at most 1023 words or rounds, found 1031 words or rounds");
  CHECK(fit_descriptor(access_of(4096, {{2, 8192}, {3, 65536}}), npu1().shim_dma).fault ==
        "dimensions: expected at most 3 dimensions, found 4 dimensions");
  CHECK(fit_descriptor(access_of(8, {{2, 8 << 20}}), npu1().shim_dma).fault ==
        "stride: expected at most 4194304 bytes, found 8388608 bytes");
  CHECK(fit_descriptor(access_of(1 << 20, {}), npu1().mem_dma).fault ==
        "length: expected at most 524284 bytes, found 1048576 bytes");
  Access misplaced = access_of(8, {});
  misplaced.step = 6;
  CHECK(fit_descriptor(misplaced, npu1().mem_dma).fault.find("whole words") != std::string::npos);
}

TEST_CASE("descriptor: whatever fits moves the same words in the same order") {
  std::mt19937 random(7);
  const auto up_to = [&](std::uint32_t n) { return 1 + static_cast<std::uint32_t>(random() % n); };
  constexpr std::size_t kAccesses = 2000 / wnpu::tests::kSampleShare;
  std::size_t n_fitting = 0;
  for (std::size_t i = 0; i < kAccesses; ++i) {
    Access access = access_of(4 * up_to(2100), {});
    std::int64_t end = access.run;
    for (std::uint32_t d = up_to(4); d > 1; --d) {
      const Dimension dim{up_to(5), end + 4 * (up_to(3) - 1)};
      access.dims.push_back(dim);
      end = dim.stride * dim.count;
    }
    for (const DmaLimits* limits : {&npu1().core_dma, &npu1().mem_dma, &npu1().shim_dma}) {
      const DescriptorFit fit = fit_descriptor(access, *limits);
      if (!fit.fault.empty()) continue;
      ++n_fitting;
      REQUIRE(fit.pattern.dims.size() <= static_cast<std::size_t>(limits->dimensions));
      for (const Dimension& dim : fit.pattern.dims) REQUIRE(dim.count <= limits->max_wrap);
      REQUIRE(descriptor_words(fit.pattern) == descriptor_words(access));
    }
  }
  CHECK(n_fitting > kAccesses / 2);
}
