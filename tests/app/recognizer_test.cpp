// The recognizer on a device that fails: it says so, or goes on with the CPU where it may.
#include "app/engine/recognizer.h"

#include <doctest/doctest.h>

#include "npu/sim/sim_device.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/difference.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT

namespace {

struct Fixture {
  Fixture() {
    tests::NanoSpec spec;
    spec.dims.n_audio_head = 1;  // heads of 64, as every released model has
    spec.dims.n_text_head = 1;
    tests::write(
        tests::to_ctranslate2(tests::make_nano_model(spec), tests::Ct2Quantization::float16),
        folder.path());
  }

  std::unique_ptr<npu::SimDevice> device_that_fails(std::size_t launch) const {
    npu::SimDeviceOptions options;
    options.failure = {npu::InjectedFailure::Kind::command_error, launch};
    return npu::open_sim_device(options);
  }

  std::vector<models::TokenId> decode(app::Recognizer& recognizer) const {
    decoder::DecodeOptions options;
    options.sample_len = 8;
    const app::DecodeJob job{0, options};
    return recognizer.decode({&job, 1})->front().tokens;
  }

  tests::TemporaryFolder folder;
  models::LogMel mel{tests::random_matrix(80, 3000, 8)};
};

}  // namespace

TEST_CASE("recognizer: a device that fails ends the work, naming the cause") {
  Fixture f;
  const auto device = f.device_that_fails(1);
  app::Recognizer recognizer(tests::load(f.folder.path()), 2, {device.get(), {}, false});
  CHECK(recognizer.backend_name() == "sim");
  CHECK_THROWS_AS(recognizer.encode(0, f.mel), npu::DeviceError);
  CHECK(recognizer.fallback().empty());
}

TEST_CASE(
    "recognizer: gives up within a window on a device, and does not take that for a failure") {
  Fixture f;
  const auto device = npu::open_sim_device();
  app::Recognizer recognizer(tests::load(f.folder.path()), 2, {device.get(), {}, true});
  std::size_t n_asked = 0;
  recognizer.set_should_stop([&n_asked] { return ++n_asked > 20; });
  CHECK_FALSE(recognizer.encode(0, f.mel));
  CHECK(device->stats().launches == 0);
  CHECK(recognizer.fallback().empty());
  recognizer.set_should_stop({});
  CHECK(recognizer.encode(0, f.mel));
}

TEST_CASE("recognizer: with leave to fall back the window is done again on the CPU") {
  Fixture f;
  app::Recognizer cpu(tests::load(f.folder.path()), 2);
  REQUIRE(cpu.encode(0, f.mel));
  const auto expected = f.decode(cpu);

  const auto device = f.device_that_fails(3);  // in the second window of two layers
  app::Recognizer recognizer(tests::load(f.folder.path()), 2, {device.get(), {}, true});
  REQUIRE(recognizer.encode(0, f.mel));
  CHECK(recognizer.fallback().empty());
  CHECK(recognizer.n_encoded() == 1);
  REQUIRE(recognizer.encode(0, f.mel));
  CHECK_FALSE(recognizer.fallback().empty());
  CHECK(recognizer.backend_name() == "cpu");
  CHECK(f.decode(recognizer) == expected);
}
