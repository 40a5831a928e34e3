// Layers and heads divided among devices, and the CPU beside them: bits, bytes, failures at every
// call, and which windows go where.
#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "npu/sim/sim_device.h"
#include "tests/app/engine/device_runs.h"
#include "tests/few_samples.h"
#include "tests/support/difference.h"

using namespace wnpu;  // NOLINT
using npu::Split;
using tests::DeviceRun;
using tests::Failures;
using tests::How;
using tests::same;
using tests::sum;

namespace {

constexpr std::size_t kHeads = 2;
constexpr std::size_t kSplitLayers = 3;
constexpr std::size_t kSplitWindows = 3;
// Bytes of a window's states in a buffer: 1500 frames padded to 1536, bf16.
constexpr std::uint64_t kStatesBytes = 1536 * 64 * kHeads * 2;
constexpr std::size_t kStep = 2 * tests::kSampleShare;

struct SplitRuns : tests::DeviceRuns {
  SplitRuns() : DeviceRuns({kHeads, kSplitLayers}, kSplitWindows) {}
};

How by(Split split, bool falls_back = false, std::size_t threads = 2) {
  return {.split = std::string(npu::split_name(split)),
          .cpu = {.falls_back = falls_back},
          .threads = threads};
}

}  // namespace

TEST_CASE("split windows: what is synced is the states that go in and come out, nothing twice" *
          doctest::skip(tests::kFewSamples)) {
  const SplitRuns f;
  for (std::size_t n = 1; n <= 2; ++n) {
    const DeviceRun found = f.run(Failures(n), by(Split::windows));
    CHECK(sum(found.info, &DeviceUse::moved_bytes) == kSplitWindows * 2 * kStatesBytes);
    CHECK(sum(found.info, &DeviceUse::exchanged_bytes) == 0);
    CHECK(found.info.split.has_value() == (n > 1));
  }
}

TEST_CASE("split layers: one device's bits, each device its layers, each hand-over counted" *
          doctest::skip(tests::kFewSamples)) {
  const SplitRuns f;
  const DeviceRun alone = f.run({std::nullopt}, by(Split::windows));
  for (std::size_t n = 2; n <= kSplitLayers; ++n) {
    CAPTURE(n);
    const DeviceRun found = f.run(Failures(n), by(Split::layers, false, n));
    CHECK(found.error.empty());
    CHECK(same(found, alone));
    CHECK(found.info.split->used == "layers");
    std::size_t next = 0;
    for (const DeviceUse& use : found.info.devices) {
      CHECK(use.windows == kSplitWindows);
      REQUIRE(use.layers.has_value());
      CHECK(use.layers->first == next);
      next += use.layers->count;
    }
    CHECK(next == kSplitLayers);
    CHECK(found.info.npu->windows == kSplitWindows);
    CHECK(found.info.npu->launches == kSplitWindows * kSplitLayers);
    // A stage of one layer is a launch by itself, which costs more than one in a list.
    CHECK(found.info.npu->modelled_ms_per_layer >= alone.info.npu->modelled_ms_per_layer);
    CHECK(found.info.npu->modelled_ms_per_layer <= 1.01 * alone.info.npu->modelled_ms_per_layer);
    const std::uint64_t exchanged = kSplitWindows * (n - 1) * 2 * kStatesBytes;
    CHECK(sum(found.info, &DeviceUse::exchanged_bytes) == exchanged);
    CHECK(sum(found.info, &DeviceUse::moved_bytes) == exchanged + kSplitWindows * 2 * kStatesBytes);
  }
  CHECK_THROWS_WITH_AS(f.open(Failures(kSplitLayers + 1), by(Split::layers)),
                       doctest::Contains("expected at most 3 devices"), npu::DeviceError);
}

TEST_CASE("split layers: whichever call of a device fails, the others do its layers, bit for bit") {
  const SplitRuns f;
  const DeviceRun alone = f.run({std::nullopt}, by(Split::windows));
  for (std::size_t device = 0; device < 2; ++device) {
    for (std::size_t call = device; call < kSplitWindows; call += 2 * kStep) {
      CAPTURE(device);
      CAPTURE(call);
      Failures failures(3);
      failures[device] = call;
      const DeviceRun found = f.run(failures, by(Split::layers));
      CHECK(found.error.empty());
      CHECK(same(found, alone));
      CHECK_FALSE(found.info.devices[device].failure.empty());
      CHECK(found.info.devices[device].layers->count == 0);
      CHECK(found.info.devices[device].windows <= call);
      // The others had their part of each window, once.
      CHECK(found.info.devices[2].windows == kSplitWindows);
      CHECK(found.info.devices[2].failure.empty());
      CHECK(found.info.npu->windows == kSplitWindows);
    }
  }
  const DeviceRun two_fail = f.run({1, 0, std::nullopt}, by(Split::layers));
  CHECK(same(two_fail, alone));
  CHECK(two_fail.info.devices[2].layers->count == kSplitLayers);
}

TEST_CASE("split heads: bits depend on the number of devices and on nothing else" *
          doctest::skip(tests::kFewSamples)) {
  const SplitRuns f;
  const DeviceRun whole = f.run({std::nullopt}, by(Split::windows));
  const DeviceRun found = f.run(Failures(2), by(Split::heads));
  CHECK(found.error.empty());
  for (const std::size_t threads : {1U, 4U}) {
    CHECK(same(f.run(Failures(2), by(Split::heads, false, threads)), found));
  }
  const DeviceRun cpu = f.run({});
  for (std::size_t i = 0; i < kSplitWindows; ++i) {
    CHECK_FALSE(same(found.states[i], whole.states[i]));
    // No further from fp32 than one device is: the host keeps the states in fp32.
    const auto exact = cpu.states[i].values.flat();
    const double error = tests::nmse(found.states[i].values.flat(), exact);
    CHECK(error <= 1.1 * tests::nmse(whole.states[i].values.flat(), exact));
  }
  for (const DeviceUse& use : found.info.devices) {
    CHECK(use.windows == kSplitWindows);
    CHECK(use.heads->count == 1);
    CHECK(use.hidden->count == 2 * 64 * kHeads);
    CHECK(use.moved_bytes == kSplitWindows * kSplitLayers * 2 * 2 * kStatesBytes);
  }
  CHECK(found.info.devices[1].heads->first == 1);
  CHECK(sum(found.info, &DeviceUse::exchanged_bytes) ==
        kSplitWindows * (2 * kSplitLayers * 2 * 2 - 2) * kStatesBytes);
  CHECK(found.info.npu->windows == kSplitWindows);
  CHECK_THROWS_AS(f.open(Failures(kHeads + 1), by(Split::heads)), npu::DeviceError);
}

TEST_CASE("splits: where all devices fail it is an error with each cause, or the CPU's work") {
  const SplitRuns f;
  const DeviceRun cpu = f.run({});
  for (const Split split : {Split::layers, Split::heads}) {
    const DeviceRun failed = f.run({0, 0}, by(split));
    CHECK(failed.error.find("; ") != std::string::npos);
    CHECK(failed.fallback.empty());
    const DeviceRun found = f.run({0, 0}, by(split, true));
    CHECK(found.error.empty());
    CHECK_FALSE(found.fallback.empty());
    CHECK(same(found, cpu));
  }
}

TEST_CASE("splits: the next file begins with all devices again, in every split and after the CPU") {
  const SplitRuns f;
  const DeviceRun sound = f.run({std::nullopt}, by(Split::windows));
  const auto fallen = f.open({0}, by(Split::windows, true));
  CHECK_FALSE(f.encode(*fallen).fallback.empty());
  CHECK_FALSE(fallen->encoder->is_on_device());
  const DeviceRun after = f.encode(*fallen);
  CHECK(after.fallback.empty());
  CHECK(fallen->encoder->is_on_device());
  CHECK(same(after, sound));
  constexpr std::array kSplits{Split::heads, Split::layers, Split::windows};
  for (const Split split : tests::some_of(kSplits)) {
    CAPTURE(npu::split_name(split));
    const auto session = f.open({0, std::nullopt}, by(split));
    CHECK_FALSE(f.encode(*session).info.devices[0].failure.empty());
    const DeviceRun next = f.encode(*session);
    CHECK(next.info.devices[0].failure.empty());
    CHECK(next.info.devices[0].windows > 0);
    CHECK(same(next, sound) == (split != Split::heads));
  }
}

TEST_CASE("split auto: the model chooses by the windows at once, and gives its reasons") {
  const SplitRuns f;
  const How division{.split = "auto"};
  const DeviceRun found =
      f.run(Failures(kSplitWindows), division);  // a device a window: nothing to divide
  REQUIRE(found.info.split.has_value());
  CHECK(found.info.split->requested == "auto");
  CHECK(found.info.split->used == "windows");
  CHECK(sum(found.info, &DeviceUse::moved_bytes) == kSplitWindows * 2 * kStatesBytes);
  REQUIRE(found.info.split->ways.size() == 3);
  CHECK(found.info.split->ways[2].refusal.find("at most 2") != std::string::npos);
  CHECK(found.info.split->reason.find("3 windows at once on 3 devices") == 0);
  const auto session = f.open(Failures(2), division);
  session->encoder->begin_file(1);
  DeviceInfo info;
  session->encoder->describe(info);
  const auto& ways = info.split->ways;
  const auto best = std::ranges::min_element(ways, {}, &SplitWay::modelled_ms);
  CHECK(info.split->used == best->name);
}

TEST_CASE("cpu beside devices: windows go by the stated times, whatever the clocks say") {
  const SplitRuns f;
  const DeviceRun cpu = f.run({});
  const DeviceRun sim = f.run({std::nullopt});
  How faster_npu{.cpu = {.is_beside = true, .cpu_window_ms = 310, .npu_window_ms = 100}};
  How faster_cpu{.cpu = {.is_beside = true, .cpu_window_ms = 100, .npu_window_ms = 310}};
  constexpr std::array kThreads{4UL, 1UL};
  for (const std::size_t threads : tests::some_of(kThreads)) {
    faster_npu.threads = faster_cpu.threads = threads;
    const DeviceRun found = f.run({std::nullopt}, faster_npu);
    CHECK(found.info.split->is_planned);
    REQUIRE(found.info.devices.size() == 2);
    CHECK(found.info.devices[0].name == "cpu");
    CHECK(found.info.devices[0].planned_ms == 310);
    CHECK(found.info.devices[0].threads == std::max<std::size_t>(1, threads / 2));
    CHECK(found.info.devices[0].windows == 0);  // its first would come last
    CHECK(found.info.devices[1].windows == 3);
    CHECK(same(found, sim));
    const DeviceRun other = f.run({std::nullopt}, faster_cpu);
    CHECK(other.info.devices[0].windows == 3);
    CHECK(same(other, cpu));
  }
  DeviceOptions hybrid;
  hybrid.plan = "hybrid";
  const auto device = tests::npu_set(npu::open_sim_device(), hybrid);
  models::ThreadPool pool(1);
  CHECK_THROWS_WITH_AS(app::EncoderGroup(*f.model, 1, pool, device.get(), {.is_beside = true}),
                       doctest::Contains("device.npu_window_ms: expected what a window takes"),
                       Error);
  const DeviceRun modelled = f.run({std::nullopt}, {.cpu = {.is_beside = true}});
  for (const DeviceUse& use : modelled.info.devices) CHECK(use.planned_ms > 0);
}

TEST_CASE("cpu beside devices: any number of threads gives each its windows, bit for bit") {
  const SplitRuns f;
  const DeviceRun cpu = f.run({});
  DeviceRun sim;
  if (!tests::kFewSamples) sim = f.run({std::nullopt});
  How alike{.cpu = {.is_beside = true, .cpu_window_ms = 100, .npu_window_ms = 100}};
  constexpr std::array kThreads{2UL, 1UL, 4UL};
  for (const std::size_t threads : tests::some_of(kThreads)) {
    alike.threads = threads;
    const DeviceRun shared = f.run({std::nullopt}, alike);
    CHECK(same(shared.states[0], cpu.states[0]));
    if (!tests::kFewSamples) CHECK(same(shared.states[1], sim.states[1]));
    CHECK(same(shared.states[2], cpu.states[2]));
  }
}

TEST_CASE("cpu beside devices: a device that fails leaves its windows to the others, the CPU too") {
  const SplitRuns f;
  const DeviceRun cpu = f.run({});
  const How alike{.cpu = {.is_beside = true, .cpu_window_ms = 100, .npu_window_ms = 90}};
  const DeviceRun found = f.run({kSplitLayers}, alike);  // in its second window
  CHECK(found.error.empty());
  CHECK(found.fallback.empty());
  CHECK_FALSE(found.info.devices[1].failure.empty());
  CHECK(found.info.devices[0].windows + found.info.devices[1].windows == kSplitWindows);
  CHECK(found.info.devices[1].windows == 1);
  const DeviceRun all_fail = f.run({0, 0}, alike);
  CHECK(all_fail.error.empty());
  CHECK(same(all_fail, cpu));
}
