// --memory-limit: what JSON says of the devices' memory is what they counted, and what was planned;
// the limit is kept or refused before any window, and changes no bit.
#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/devices/encoder_group.h"
#include "npu/design/layer_abi.h"
#include "npu/sim/sim_device.h"
#include "tests/app/engine/npu_set.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT

namespace {

struct LimitFixture {
  LimitFixture() {
    tests::write_device_model(folder.path());
    model = tests::load(folder.path());
  }

  struct Run {
    models::EncoderStates states;
    DeviceInfo info;
    std::uint64_t counted = 0;  // by the devices themselves
  };

  Run run(const DeviceOptions& options, std::size_t n_devices = 1) const {
    std::vector<std::unique_ptr<npu::Device>> devices;
    std::vector<const npu::Device*> counters;
    for (std::size_t i = 0; i < n_devices; ++i) {
      auto device = npu::open_sim_device();
      counters.push_back(device.get());
      devices.push_back(std::move(device));
    }
    const auto set = tests::npu_set(std::move(devices), options);
    models::ThreadPool pool(2);
    app::EncoderGroup encoder(*model, 2, pool, set.get());
    encoder.begin_file(1);
    Run run;
    const models::LogMel mel{tests::random_matrix(80, 3000, 8)};
    const app::EncodeJob job{&mel, &run.states};
    encoder.encode({&job, 1});
    encoder.describe(run.info);
    for (const npu::Device* device : counters) run.counted += device->stats().peak_buffer_bytes;
    return run;
  }

  npu::LayerGeometry geometry() const {
    const models::Dims& dims = model->dims();
    return npu::layer_geometry(
        npu::npu1(),
        {dims.n_audio_ctx, dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state},
        npu::Precision::bf16);
  }

  tests::TemporaryFolder folder;
  std::shared_ptr<const app::LoadedModel> model;
};

}  // namespace

TEST_CASE("memory limit: the figure in JSON is what devices counted, and what was planned") {
  const LimitFixture f;
  const npu::LayerGeometry g = f.geometry();
  const std::size_t layers = f.model->dims().n_audio_layer;
  const std::size_t rest = g.scratch_bytes + 2 * g.states_bytes;
  const auto free = f.run({});
  CHECK(free.info.npu->memory_bytes == free.counted);
  CHECK(free.info.npu->memory_bytes == layers * g.weights_bytes + rest);
  CHECK(!free.info.npu->memory_limit);
  DeviceOptions options;
  options.memory_limit = g.weights_bytes + rest;
  const auto limited = f.run(options);
  CHECK(limited.info.npu->memory_bytes == limited.counted);
  CHECK(limited.info.npu->memory_bytes == *options.memory_limit);
  CHECK(limited.info.npu->memory_limit == options.memory_limit);
  CHECK(limited.info.npu->launches == free.info.npu->launches);
  CHECK(std::ranges::equal(limited.states.values.flat(), free.states.values.flat()));
  const auto of_two = f.run(options, 2);
  CHECK(of_two.info.npu->memory_bytes == of_two.counted);
  CHECK(of_two.info.npu->memory_bytes == 2 * *options.memory_limit);
  options.memory_limit = *options.memory_limit - 1;
  const std::string expected = "expected a memory limit of at least " +
                               std::to_string(g.weights_bytes + rest) + " bytes, found " +
                               std::to_string(*options.memory_limit);
  CHECK_THROWS_WITH_AS(f.run(options), doctest::Contains(expected.c_str()), npu::DeviceError);
}
