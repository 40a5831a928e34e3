// A backend of somebody else's, encoder states from a file: one row in one place, and --device
// takes it from the command line to the transcript.
#include <algorithm>
#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "app/cli/command_line.h"
#include "app/engine/devices/backends.h"
#include "app/engine/devices/device_names.h"
#include "app/engine/devices/encoder_group.h"
#include "app/formats/writers.h"
#include "app/options/exit_code.h"
#include "audio/mel/mel_source.h"
#include "npu/device.h"
#include "tests/app/engine/engine_fixture.h"
#include "tests/support/model_run.h"
#include "tests/support/text.h"
#include "tests/support/wav_file.h"

using namespace wnpu;  // NOLINT

namespace {

std::filesystem::path states_file;  // of the backend

// The whole of the backend: device and encoder in one.
class StatesFile final : public app::EncoderSet, public encoder::WindowEncoder {
 public:
  explicit StatesFile(const std::filesystem::path& path) : file_(path, std::ios::binary) {
    if (!file_) throw npu::DeviceError("states: cannot read " + path.string());
  }

  void load(const app::LoadedModel& model, std::size_t /*n_threads*/) override {
    dims_ = model.dims();
  }
  std::vector<app::NamedEncoder> begin_file(std::size_t /*n_at_once*/) override {
    file_.clear();
    file_.seekg(0);
    return {{"states", this}};
  }
  void encode(const models::LogMel& /*mel*/, models::EncoderStates& out,
              const std::function<bool()>& /*should_stop*/) override {
    out = {models::Matrix(dims_.n_audio_ctx, dims_.n_audio_state), {}};
    const auto values = out.values.flat();
    file_.read(reinterpret_cast<char*>(values.data()),  // NOLINT
               static_cast<std::streamsize>(values.size_bytes()));
    if (!file_) throw npu::DeviceError("states: expected another window, found the file's end");
  }

 private:
  std::ifstream file_;
  models::Dims dims_;
};

constexpr app::Backend kStates = {
    "states", [](std::span<const npu::ProbeResult> /*nodes*/) { return std::string(); },
    [](const app::DeviceSetup& /*setup*/, std::span<const std::size_t> /*indexes*/,
       std::size_t /*n_threads*/) -> std::unique_ptr<app::EncoderSet> {
      return std::make_unique<StatesFile>(states_file);
    },
    ""};

struct BackendFixture : tests::EngineFixture {
  BackendFixture() {
    keep_one_window();
    tests::write_wav(folder.path() / "one.wav", samples);
    std::vector<float> both = samples;
    both.resize(35 * 16000);
    tests::write_wav(folder.path() / "two.wav", both);
    states_file = folder.path() / "states";
    write_states("one.wav");
  }

  // States of the file's first window, as the CPU has them.
  void write_states(const std::string& file) const {
    const auto loaded = tests::load(path());
    models::ThreadPool pool(1);
    app::EncoderGroup cpu(*loaded, 1, pool, nullptr);
    models::LogMel mel;
    models::EncoderStates states;
    audio::MelSource(audio::Input{folder.path() / file, {}}, loaded->dims().n_mels, {})
        .window(0, mel);
    const app::EncodeJob job{&mel, &states};
    cpu.encode({&job, 1});
    const auto values = states.values.flat();
    std::ofstream(states_file, std::ios::binary)
        .write(reinterpret_cast<const char*>(values.data()),  // NOLINT
               static_cast<std::streamsize>(values.size_bytes()));
  }

  // As the program does it.
  Transcript run(const std::string& device, const std::string& file,
                 const std::string& more = "--quiet") const {
    const std::vector<std::string> line =
        tests::split_words("transcribe --device " + device + " --model " + path().string() +
                           " --language en --beam-size 2 --precision fp32 --threads 1 " + more +
                           " " + (folder.path() / file).string());
    std::vector<const char*> words;
    for (const std::string& word : line) words.push_back(word.c_str());
    const app::Options wanted = app::parse_command_line(words).options;
    Session session(Model(wanted.model, {wanted.model_dir, wanted.device, wanted.threads}));
    TranscribeOptions shorter = wanted.transcribe;
    shorter.sample_len = 12;
    shorter.temperature_increment_on_fallback.reset();
    shorter.no_speech_threshold.reset();
    return session.transcribe({.path = wanted.inputs.front()}, shorter);
  }
};

}  // namespace

TEST_CASE("added backend: one row, and --device, --help and the transcript know it") {
  const BackendFixture f;
  CHECK_THROWS_AS(f.run("states", "one.wav"), app::UsageError);
  const app::AddedBackend added(kStates);
  CHECK_THROWS_AS(app::AddedBackend{kStates}, std::invalid_argument);
  CHECK(app::device_forms().find("|states|") != std::string::npos);
  const Transcript found = f.run("states", "one.wav");
  CHECK(found.device.used == "states");
  REQUIRE(found.device.devices.size() == 1);
  CHECK(found.device.devices.front().name == "states");
  CHECK(found.device.devices.front().windows == 1);
  const Transcript cpu = f.run("cpu", "one.wav");
  REQUIRE_FALSE(cpu.segments.empty());
  CHECK(tests::segment_tokens(found) == tests::segment_tokens(cpu));
  std::ostringstream text;
  app::write(app::Format::json, found, {}, text);
  CHECK(text.str().find(R"("used": "states")") != std::string::npos);
}

TEST_CASE("added backend: where it fails the work ends with the cause, or is the CPU's") {
  const BackendFixture f;
  const app::AddedBackend added(kStates);
  f.write_states("two.wav");
  CHECK_THROWS_WITH_AS(f.run("states", "two.wav"), doctest::Contains("found the file's end"),
                       Error);
  const Transcript found = f.run("states", "two.wav", "--fallback=cpu");
  CHECK(found.device.fallback == "states: expected another window, found the file's end");
  CHECK(found.device.used == "cpu");
  CHECK(tests::segment_tokens(found) == tests::segment_tokens(f.run("cpu", "two.wav")));
  f.write_states("one.wav");
  // Beside the CPU by stated times, all windows of the device first.
  const Transcript beside = f.run("cpu,states", "one.wav", "--npu-window-ms=1");
  REQUIRE(beside.device.devices.size() == 2);
  CHECK(beside.device.devices[1].windows == 1);
  CHECK(tests::segment_tokens(beside) == tests::segment_tokens(f.run("cpu", "one.wav")));
}
