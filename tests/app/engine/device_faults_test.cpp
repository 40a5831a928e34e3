// Faults at every call of the device seam, in every split: a window is done once, with the bits of
// whoever did it, or the work ends with the cause.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/devices/encoder_group.h"
#include "tests/app/engine/failing_device.h"
#include "tests/app/engine/npu_set.h"
#include "tests/app/engine/remembered_device.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;  // NOLINT
using npu::Split;
using tests::FailingDevice;

namespace {

constexpr std::size_t kFaultWindows = 2;
constexpr std::size_t kFaultStep = 2 * tests::kSampleShare + 1;

using States = std::vector<std::vector<float>>;  // a window

struct FaultsFixture {
  FaultsFixture() {
    tests::write_device_model(folder.path(), {2, 2});
    model = tests::load(folder.path());
    for (unsigned i = 0; i < kFaultWindows; ++i) {
      mels.push_back(models::LogMel{tests::random_matrix(80, 3000, 8 + i)});
    }
  }

  struct Run {
    States states;
    DeviceInfo info;
    std::string error;
    bool is_open = false;                // the devices took the model
    std::vector<std::size_t> n_calls;    // a device
    std::vector<std::size_t> n_opening;  // of them, before the first window
  };

  // A device that fails at each of these calls.
  Run run(Split split, const std::vector<std::size_t>& fails_at) const {
    std::vector<FailingDevice*> failing;
    std::vector<std::unique_ptr<npu::Device>> devices;
    for (const std::size_t at : fails_at) {
      auto device =
          std::make_unique<FailingDevice>(std::make_unique<tests::RememberedDevice>(), at);
      failing.push_back(device.get());
      devices.push_back(std::move(device));
    }
    DeviceOptions options;
    options.split = npu::split_name(split);
    const auto set = tests::npu_set(std::move(devices), options);
    Run run;
    const auto count = [&](std::vector<std::size_t>& counts) {
      for (const FailingDevice* const device : failing) counts.push_back(device->n_calls());
    };
    models::ThreadPool pool(1);
    std::vector<models::EncoderStates> states(kFaultWindows);
    try {
      app::EncoderGroup encoder(*model, 1, pool, set.get());
      run.is_open = true;
      count(run.n_opening);
      std::vector<app::EncodeJob> jobs;
      for (std::size_t i = 0; i < kFaultWindows; ++i) jobs.push_back({&mels[i], &states[i]});
      encoder.encode(jobs);
      encoder.describe(run.info);
    } catch (const npu::DeviceError& error) {
      run.error = error.what();
    }
    count(run.n_calls);
    for (const models::EncoderStates& each : states) {
      const auto values = each.values.flat();
      run.states.emplace_back(values.begin(), values.end());
    }
    return run;
  }

  tests::TemporaryFolder folder;
  std::shared_ptr<const app::LoadedModel> model;
  std::vector<models::LogMel> mels;
};

// Each window is what two devices give, or one that is left.
bool is_right(const States& found, const States& by_two, const States& by_one) {
  for (std::size_t i = 0; i < kFaultWindows; ++i) {
    if (found[i] != by_two[i] && found[i] != by_one[i]) return false;
  }
  return true;
}

}  // namespace

TEST_CASE(
    "device faults: at any call of one of two devices the other does the work, or none opens") {
  const FaultsFixture f;
  constexpr std::size_t kNever = FailingDevice::kNever;
  for (const Split split : {Split::windows, Split::layers, Split::heads}) {
    CAPTURE(npu::split_name(split));
    const auto sound = f.run(split, {kNever, kNever});
    REQUIRE(sound.error.empty());
    const auto left = f.run(split, {sound.n_opening[0], kNever});
    REQUIRE(left.error.empty());
    // Whole windows may all have gone to the other device before this one's thread took any.
    if (split != Split::windows) CHECK_FALSE(left.info.devices[0].failure.empty());
    // Every kind of call, before the first window and in it, and some of the many of heads.
    const std::size_t step = kFaultStep * (split == Split::heads ? 4 : 2);
    for (std::size_t at = 0; at < sound.n_calls[0]; at += at == 0 ? 1 : step) {
      CAPTURE(at);
      const auto found = f.run(split, {at, kNever});
      CHECK(found.is_open == (at >= sound.n_opening[0]));
      if (!found.is_open) {
        CHECK(found.error.find("injected: ") != std::string::npos);
        continue;
      }
      CHECK(found.error.empty());
      CHECK(is_right(found.states, sound.states, left.states));
      if (split == Split::windows) {
        CHECK(found.info.devices[0].windows + found.info.devices[1].windows == kFaultWindows);
      } else {
        CHECK(found.info.devices[1].windows == kFaultWindows);
        CHECK_FALSE(found.info.devices[0].failure.empty());
      }
    }
  }
}

TEST_CASE("device faults: while work is divided anew a second device may fail as well") {
  const FaultsFixture f;
  constexpr std::size_t kNever = FailingDevice::kNever;
  std::mt19937 random(23);
  for (const Split split : {Split::layers, Split::heads}) {
    CAPTURE(npu::split_name(split));
    const auto sound = f.run(split, {kNever, kNever});
    for (std::size_t i = 0; i < (tests::kFewSamples ? 1 : 4); ++i) {
      const std::size_t first =
          sound.n_opening[0] + random() % (sound.n_calls[0] - sound.n_opening[0]);
      const std::size_t second = sound.n_opening[1] + random() % (2 * sound.n_calls[1]);
      CAPTURE(first);
      CAPTURE(second);
      const auto found = f.run(split, {first, second});
      REQUIRE(found.is_open);
      // Both have failed, and the error has both causes; or the second's call never came.
      if (found.error.empty()) {
        CHECK(std::ranges::none_of(found.states, [](const auto& s) { return s.empty(); }));
        CHECK(found.info.npu->windows == kFaultWindows);
      } else {
        CHECK(found.error.find("; ") != std::string::npos);
      }
    }
  }
}
