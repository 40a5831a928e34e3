// The window loop with a device: the next clips are encoded on a thread of their own while the
// present ones are decoded, and nothing but time changes.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <thread>

#include <doctest/doctest.h>

#include "app/engine/windows/window_loop.h"
#include "models/base/error.h"
#include "npu/sim/sim_device.h"
#include "tests/app/engine/npu_set.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/support/device_around.h"
#include "tests/support/model_run.h"
#include "tests/support/random_matrix.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

constexpr std::size_t kLayers = 2;  // of the nano model's encoder
// Five clips of different lengths in 24 s.
const std::vector<double> kBounds = {0, 4, 4, 9.5, 9.5, 12, 14, 21, 21, 24};

// A device and a decoder that wait for each other, once: only if they work side by side do both
// come to the meeting.
class Meeting {
 public:
  // False: the other did not come in time.
  bool come(bool& is_here, const bool& is_other_here) {
    std::unique_lock lock(mutex_);
    is_here = true;
    changed_.notify_all();
    return changed_.wait_for(lock, std::chrono::seconds(30), [&] { return is_other_here; });
  }
  bool encoder_comes() { return come(encoder_is_here_, decoder_is_here_); }
  bool decoder_comes() { return come(decoder_is_here_, encoder_is_here_); }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool encoder_is_here_ = false;
  bool decoder_is_here_ = false;
};

// The simulator, with something to do before each submission (a window's layers).
class WatchedDevice : public tests::DeviceAround {
 public:
  explicit WatchedDevice(std::function<void(std::size_t)> before_window)
      : DeviceAround(npu::open_sim_device()), before_window_(std::move(before_window)) {}
  void run_all(std::span<const npu::Run> runs, std::chrono::milliseconds timeout) override {
    before_window_(n_windows_++);
    DeviceAround::run_all(runs, timeout);
  }

 private:
  std::function<void(std::size_t)> before_window_;
  std::size_t n_windows_ = 0;
};

struct OverlapFixture {
  OverlapFixture() {
    tests::write_wav(folder.path() / "noise.wav", tests::uneven_noise(24 * 16000, 4));
    tests::write_device_model(folder.path() / "model");
  }

  app::Recognizer recognizer(app::EncoderSet& device, std::size_t n_threads = 2,
                             bool falls_back = false) const {
    return {tests::load(folder.path() / "model"), n_threads, &device, {.falls_back = falls_back}};
  }

  Transcript run(app::Recognizer& recognizer, std::size_t batch_size,
                 const std::vector<double>& bounds, const Callbacks& callbacks = {}) {
    TranscribeOptions options = tests::single_try(1, 10);
    options.clip_timestamps = bounds;
    options.batch_size = batch_size;
    return app::transcribe_file(recognizer, options, {folder.path() / "noise.wav", {}}, callbacks);
  }

  tests::TemporaryFolder folder;
};

// All that decoding computes of a segment.
auto content(const Segment& s) {
  return std::tuple(s.seek, s.start, s.end, s.tokens, s.avg_logprob, s.no_speech_prob);
}

auto contents_of_clips(const Transcript& transcript) {
  std::vector<decltype(content(transcript.segments.front()))> all;
  for (const auto& segment : transcript.segments) all.push_back(content(segment));
  return all;
}

bool all_clips_are_in(const Transcript& transcript) {
  for (std::size_t i = 0; i < kBounds.size(); i += 2) {
    const auto first = static_cast<std::size_t>(100 * kBounds[i]);
    const auto& all = transcript.segments;
    if (std::ranges::find(all, first, &Segment::seek) == all.end()) return false;
  }
  return true;
}

}  // namespace

TEST_CASE("overlap: one thread encodes the next clips while another decodes the present ones") {
  constexpr std::size_t kBatch = 2;
  OverlapFixture f;
  Meeting meeting;
  std::atomic<bool> encoder_met = false;
  const auto device = tests::npu_set(std::make_unique<WatchedDevice>([&](std::size_t window) {
    if (window == kBatch) encoder_met = meeting.encoder_comes();
  }));
  auto recognizer = f.recognizer(*device);
  std::optional<bool> decoder_met;
  Callbacks callbacks;
  callbacks.on_segment = [&](const Segment&) {
    if (!decoder_met) decoder_met = meeting.decoder_comes();
  };
  CHECK(all_clips_are_in(f.run(recognizer, kBatch, kBounds, callbacks)));
  CHECK(encoder_met);
  CHECK(decoder_met.value_or(false));
}

TEST_CASE("overlap: every bit is as without it, with 1 core or 3, 2 clips together or 4") {
  OverlapFixture f;
  const auto device = tests::npu_set(npu::open_sim_device());
  auto recognizer = f.recognizer(*device);
  decltype(contents_of_clips({})) alone;  // one clip at a time leaves nothing to do side by side
  for (std::size_t i = 0; i < kBounds.size(); i += 2) {
    const auto clip = f.run(recognizer, 2, {kBounds[i], kBounds[i + 1]});
    std::ranges::copy(contents_of_clips(clip), std::back_inserter(alone));
  }
  REQUIRE(alone.size() >= kBounds.size() / 2);
  constexpr std::array kThreads{3UL, 2UL, 1UL};
  for (const std::size_t n_threads : tests::some_of(kThreads)) {
    auto other = f.recognizer(*device, n_threads);
    CHECK(other.encoder().is_on_device());
    CHECK(contents_of_clips(f.run(other, n_threads + 1, kBounds)) == alone);
  }
}

TEST_CASE(
    "overlap: what fails on the encoder's thread reaches the caller, after what was decoded") {
  OverlapFixture f;
  npu::SimDeviceOptions options;
  options.failure = {npu::InjectedFailure::Kind::command_error, 2 * kLayers};  // the third window
  const auto device = tests::npu_set(npu::open_sim_device(options));
  auto recognizer = f.recognizer(*device);
  std::size_t n_segments = 0;
  Callbacks callbacks;
  callbacks.on_segment = [&](const Segment&) { ++n_segments; };
  CHECK_THROWS_AS(f.run(recognizer, 2, kBounds, callbacks), npu::DeviceError);
  CHECK(n_segments > 0);
}

TEST_CASE("overlap: where the CPU takes over from the encoder's thread no clip is lost") {
  OverlapFixture f;
  npu::SimDeviceOptions options;
  options.failure = {npu::InjectedFailure::Kind::command_error, 2 * kLayers};
  const auto device = tests::npu_set(npu::open_sim_device(options));
  auto recognizer = f.recognizer(*device, 2, true);
  const auto found = f.run(recognizer, 2, kBounds);
  CHECK_FALSE(recognizer.encoder().fallback().empty());
  CHECK_FALSE(recognizer.encoder().is_on_device());
  CHECK(all_clips_are_in(found));
  app::Recognizer cpu(tests::load(f.folder.path() / "model"), 2);
  const auto last = contents_of_clips(f.run(cpu, 2, {kBounds[8], kBounds[9]}));
  const auto all = contents_of_clips(found);
  REQUIRE(all.size() > last.size());
  CHECK(std::equal(last.rbegin(), last.rend(), all.rbegin()));
}

TEST_CASE("overlap: stopping ends both threads and keeps what is finished") {
  OverlapFixture f;
  const auto device = tests::npu_set(npu::open_sim_device());
  auto recognizer = f.recognizer(*device);
  std::atomic<std::size_t> n_segments = 0;
  Callbacks callbacks;
  callbacks.on_segment = [&](const Segment&) { ++n_segments; };
  callbacks.should_stop = [&] { return n_segments > 0; };
  const auto found = f.run(recognizer, 2, kBounds, callbacks);
  CHECK(found.truncated);
  CHECK(found.segments.size() == n_segments);
  CHECK_FALSE(all_clips_are_in(found));
}

TEST_CASE("overlap: a stop within a window on a device is not taken for a failure") {
  OverlapFixture f;
  const auto device = tests::npu_set(npu::open_sim_device());
  auto recognizer = f.recognizer(*device, 2, true);
  const models::LogMel mel{tests::random_matrix(80, 3000, 8)};
  models::EncoderStates states;
  const app::EncodeJob job{&mel, &states};
  std::size_t n_asked = 0;
  recognizer.set_should_stop([&n_asked] { return ++n_asked > 20; });
  CHECK_THROWS_AS(recognizer.encoder().encode({&job, 1}), models::Stopped);
  DeviceInfo info;
  recognizer.encoder().describe(info);
  CHECK(info.npu->launches == 0);
  CHECK(recognizer.encoder().fallback().empty());
  recognizer.set_should_stop({});
  CHECK_NOTHROW(recognizer.encoder().encode({&job, 1}));
}
