// The recognizer on a device that fails: it says so, or goes on with the CPU where it may.
#include "app/engine/windows/recognizer.h"

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "npu/sim/sim_device.h"
#include "tests/app/engine/npu_set.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/difference.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT

namespace {

struct RecognizerFixture {
  RecognizerFixture() { tests::write_device_model(folder.path()); }

  std::unique_ptr<app::EncoderSet> device_that_fails(std::size_t launch) const {
    npu::SimDeviceOptions options;
    options.failure = {npu::InjectedFailure::Kind::command_error, launch};
    return tests::npu_set(npu::open_sim_device(options));
  }

  void encode(app::Recognizer& recognizer) const {
    models::EncoderStates states;
    const app::EncodeJob job{&mel, &states};
    recognizer.encoder().encode({&job, 1});
    recognizer.keep(0, states);
  }

  std::vector<models::TokenId> decode(app::Recognizer& recognizer) const {
    decoder::DecodeOptions options;
    options.sample_len = 8;
    const app::DecodeJob job{0, options};
    return recognizer.decode({&job, 1}).front().tokens;
  }

  tests::TemporaryFolder folder;
  models::LogMel mel{tests::random_matrix(80, 3000, 8)};
};

}  // namespace

TEST_CASE("recognizer: a device that fails ends the work, naming the cause") {
  RecognizerFixture f;
  const auto device = f.device_that_fails(1);
  app::Recognizer recognizer(tests::load(f.folder.path()), 2, device.get());
  CHECK(recognizer.encoder().is_on_device());
  CHECK_THROWS_AS(f.encode(recognizer), npu::DeviceError);
  CHECK(recognizer.encoder().fallback().empty());
}

TEST_CASE("recognizer: stops within a window on a device, and does not take that for a failure") {
  RecognizerFixture f;
  const auto device = tests::npu_set(npu::open_sim_device());
  app::Recognizer recognizer(tests::load(f.folder.path()), 2, device.get(), {.falls_back = true});
  std::size_t n_asked = 0;
  recognizer.set_should_stop([&n_asked] { return ++n_asked > 20; });
  CHECK_THROWS_AS(f.encode(recognizer), models::Stopped);
  DeviceInfo info;
  recognizer.encoder().describe(info);
  CHECK(info.npu->launches == 0);
  CHECK(recognizer.encoder().fallback().empty());
  recognizer.set_should_stop({});
  CHECK_NOTHROW(f.encode(recognizer));
}

TEST_CASE("recognizer: with leave to fall back the window is done again on the CPU") {
  RecognizerFixture f;
  app::Recognizer cpu(tests::load(f.folder.path()), 2);
  f.encode(cpu);
  const auto expected = f.decode(cpu);

  const auto device = f.device_that_fails(3);  // in the second window of two layers
  app::Recognizer recognizer(tests::load(f.folder.path()), 2, device.get(), {.falls_back = true});
  f.encode(recognizer);
  CHECK(recognizer.encoder().fallback().empty());
  DeviceInfo info;
  recognizer.encoder().describe(info);
  REQUIRE(info.devices.size() == 1);
  CHECK(info.devices.front().windows == 1);
  f.encode(recognizer);
  CHECK_FALSE(recognizer.encoder().fallback().empty());
  CHECK_FALSE(recognizer.encoder().is_on_device());
  CHECK(f.decode(recognizer) == expected);
}
