// --memory-limit: what JSON says of the devices' memory is what they counted, and what was planned;
// the limit is kept or refused before any window, and changes no bit.
#include <string>

#include <doctest/doctest.h>

#include "npu/design/layer_abi.h"
#include "npu/sim/sim_device.h"
#include "tests/app/engine/device_runs.h"

using namespace wnpu;  // NOLINT

namespace {

struct LimitedRun : tests::DeviceRun {
  std::uint64_t counted = 0;  // by the devices themselves
};

LimitedRun limited_run(const tests::DeviceRuns& runs, std::optional<std::uint64_t> limit,
                       std::size_t n_devices = 1) {
  tests::Devices devices;
  std::vector<const npu::Device*> counters;
  for (std::size_t i = 0; i < n_devices; ++i) {
    counters.push_back(devices.emplace_back(npu::open_sim_device()).get());
  }
  const auto session = runs.open_with(std::move(devices), {.memory_limit = limit});
  LimitedRun run{runs.encode(*session)};
  for (const npu::Device* device : counters) run.counted += device->stats().peak_buffer_bytes;
  return run;
}

}  // namespace

TEST_CASE("memory limit: the figure in JSON is what devices counted, and what was planned") {
  const tests::DeviceRuns f({}, 1);
  const models::Dims& dims = f.model->dims();
  const npu::LayerGeometry g = npu::layer_geometry(
      npu::npu1(),
      {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state},
      npu::Precision::bf16);
  const std::size_t layers = dims.n_audio_layer;
  const std::size_t rest = g.scratch_bytes + 2 * g.states_bytes;
  const auto free = limited_run(f, {});
  CHECK(free.info.npu->memory_bytes == free.counted);
  CHECK(free.info.npu->memory_bytes == layers * g.weights_bytes + rest);
  CHECK(!free.info.npu->memory_limit);
  const std::uint64_t limit = g.weights_bytes + rest;
  const auto limited = limited_run(f, limit);
  CHECK(limited.info.npu->memory_bytes == limited.counted);
  CHECK(limited.info.npu->memory_bytes == limit);
  CHECK(limited.info.npu->memory_limit == limit);
  CHECK(limited.info.npu->launches == free.info.npu->launches);
  CHECK(tests::same(limited, free));
  const auto of_two = limited_run(f, limit, 2);
  CHECK(of_two.info.npu->memory_bytes == of_two.counted);
  CHECK(of_two.info.npu->memory_bytes == 2 * limit);
  const std::string expected = "expected a memory limit of at least " + std::to_string(limit) +
                               " bytes, found " + std::to_string(limit - 1);
  CHECK_THROWS_WITH_AS(limited_run(f, limit - 1), doctest::Contains(expected.c_str()),
                       npu::DeviceError);
}
