// Faults at every call of the device seam, in every split: a window is done once, with the bits of
// whoever did it, or the work ends with the cause.
#include <algorithm>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "tests/app/engine/device_runs.h"
#include "tests/app/engine/failing_device.h"
#include "tests/few_samples.h"

using namespace wnpu;  // NOLINT
using npu::Split;
using tests::FailingDevice;

namespace {

constexpr std::size_t kFaultWindows = 2;
constexpr std::size_t kFaultStep = 2 * tests::kSampleShare + 1;

struct FaultRun : tests::DeviceRun {
  bool is_open = false;                // the devices took the model
  std::vector<std::size_t> n_calls;    // a device
  std::vector<std::size_t> n_opening;  // of them, before the first window
};

// Devices each of which fails at one of these calls.
FaultRun run_with_faults(const tests::DeviceRuns& runs, Split split,
                         const std::vector<std::size_t>& fails_at) {
  std::vector<FailingDevice*> failing;
  tests::Devices devices;
  for (const std::size_t at : fails_at) {
    auto device = std::make_unique<FailingDevice>(std::make_unique<tests::RememberedDevice>(), at);
    failing.push_back(device.get());
    devices.push_back(std::move(device));
  }
  FaultRun run;
  std::unique_ptr<tests::DeviceRuns::Session> session;
  const auto count = [&](std::vector<std::size_t>& counts) {
    for (const FailingDevice* const device : failing) counts.push_back(device->n_calls());
  };
  try {
    session = runs.open_with(std::move(devices), {.split = std::string(npu::split_name(split))});
    run.is_open = true;
    count(run.n_opening);
    static_cast<tests::DeviceRun&>(run) = runs.encode(*session);
    count(run.n_calls);
  } catch (const npu::DeviceError& error) {
    run.error = error.what();
  }
  return run;
}

// Each window is what two devices give, or one that is left.
bool is_right(const FaultRun& found, const FaultRun& by_two, const FaultRun& by_one) {
  for (std::size_t i = 0; i < kFaultWindows; ++i) {
    const auto& states = found.states[i];
    if (!tests::same(states, by_two.states[i]) && !tests::same(states, by_one.states[i]))
      return false;
  }
  return true;
}

}  // namespace

TEST_CASE(
    "device faults: at any call of one of two devices the other does the work, or none opens") {
  const tests::DeviceRuns f({2, 2}, kFaultWindows);
  constexpr std::size_t kNever = FailingDevice::kNever;
  for (const Split split : {Split::windows, Split::layers, Split::heads}) {
    CAPTURE(npu::split_name(split));
    const auto sound = run_with_faults(f, split, {kNever, kNever});
    REQUIRE(sound.error.empty());
    const auto left = run_with_faults(f, split, {sound.n_opening[0], kNever});
    REQUIRE(left.error.empty());
    // Whole windows may all have gone to the other device before this one's thread took any.
    if (split != Split::windows) CHECK_FALSE(left.info.devices[0].failure.empty());
    // Every kind of call, before the first window and in it, and some of the many of heads.
    const std::size_t step = kFaultStep * (split == Split::heads ? 4 : 2);
    for (std::size_t at = 0; at < sound.n_calls[0]; at += at == 0 ? 1 : step) {
      CAPTURE(at);
      const auto found = run_with_faults(f, split, {at, kNever});
      CHECK(found.is_open == (at >= sound.n_opening[0]));
      if (!found.is_open) {
        CHECK(found.error.find("injected: ") != std::string::npos);
        continue;
      }
      CHECK(found.error.empty());
      CHECK(is_right(found, sound, left));
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
  const tests::DeviceRuns f({2, 2}, kFaultWindows);
  constexpr std::size_t kNever = FailingDevice::kNever;
  std::mt19937 random(23);
  for (const Split split : {Split::layers, Split::heads}) {
    CAPTURE(npu::split_name(split));
    const auto sound = run_with_faults(f, split, {kNever, kNever});
    for (std::size_t i = 0; i < (tests::kFewSamples ? 1 : 4); ++i) {
      const std::size_t first =
          sound.n_opening[0] + random() % (sound.n_calls[0] - sound.n_opening[0]);
      const std::size_t second = sound.n_opening[1] + random() % (2 * sound.n_calls[1]);
      CAPTURE(first);
      CAPTURE(second);
      const auto found = run_with_faults(f, split, {first, second});
      REQUIRE(found.is_open);
      // Both have failed, and the error has both causes; or the second's call never came.
      if (found.error.empty()) {
        CHECK(
            std::ranges::none_of(found.states, [](const auto& s) { return s.values.size() == 0; }));
        CHECK(found.info.npu->windows == kFaultWindows);
      } else {
        CHECK(found.error.find("; ") != std::string::npos);
      }
    }
  }
}
