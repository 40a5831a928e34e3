// The catalogue, models.lock, the lock against two at once, and parts of files.
#include <algorithm>
#include <atomic>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <doctest/doctest.h>

#include "app/engine/model_path.h"
#include "app/model_store/hub/catalogue.h"
#include "app/model_store/hub/pins.h"
#include "app/model_store/hub/pull_lock.h"
#include "app/options/exit_code.h"
#include "models/base/error.h"
#include "tests/few_samples.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu::app;
using namespace wnpu::tests;

namespace fs = std::filesystem;

namespace {

std::string random_text(std::mt19937& random, std::size_t size, const std::string& letters) {
  std::string text;
  for (std::size_t i = 0; i < size; ++i) text += letters[random() % letters.size()];
  return text;
}

}  // namespace

TEST_CASE(
    "catalogue: every model has sources in order, with weights, and hashes that can be ones") {
  std::set<std::string> hashes;
  CHECK(hub_models().size() == hub_names().size());
  for (const HubModel& model : hub_models()) {
    CAPTURE(model.name);
    CHECK(find_hub_model(model.name) == &model);
    REQUIRE(model.sources.size() >= 3);
    std::vector<std::string_view> formats;
    for (const HubSource& source : model.sources) {
      CAPTURE(source.format);
      formats.push_back(source.format);
      CHECK(model.find(source.format) == &source);
      CHECK((source.revision.size() == 40 || source.revision == "main"));
      std::set<std::string_view> names;
      for (const HubFile& file : source.files) {
        CHECK(names.insert(file.name).second);
        CHECK((file.sha256.empty() || is_sha256(file.sha256)));
        const std::string url = source.url_of(file, "");
        CHECK(url.starts_with("https://"));
        CHECK(url.find("//", 8) == url.npos);
        CHECK(source.url_of(file, "http://mirror:1/x/") ==
              "http://mirror:1/x/" + source.path_of(file));
      }
      const HubFile& weights = source.files.back();
      if (!weights.sha256.empty()) CHECK(hashes.insert(std::string(weights.sha256)).second);
    }
    // In the order of kHubFormats.
    const auto place = [](std::string_view format) {
      return std::ranges::find(kHubFormats, format) - kHubFormats.begin();
    };
    CHECK(std::ranges::is_sorted(formats, {}, place));
  }
  CHECK(find_hub_model("turbo")->name == "large-v3-turbo");
  CHECK(find_hub_model("large")->name == "large-v3");
  // By its id at its publisher's.
  for (const HubModel& model : hub_models()) {
    for (const HubSource& source : model.sources) {
      const bool is_of_one = source.format == "ctranslate2" || source.format == "safetensors";
      if (!is_of_one) continue;
      CAPTURE(source.repository);
      CHECK(find_hub_model(source.repository) == &model);
    }
  }
  CHECK(find_hub_model("someone/faster-whisper-tiny") == nullptr);
  CHECK(find_hub_model("Tiny") == nullptr);
  CHECK(find_hub_model("") == nullptr);
}

TEST_CASE("catalogue: the detector of speech is published, and no model") {
  const HubModel& detector = hub_detector();
  CHECK(find_published(detector.name) == &detector);
  CHECK(find_published("turbo") == find_hub_model("turbo"));
  CHECK(find_published("") == nullptr);
  CHECK(find_hub_model(detector.name) == nullptr);
  REQUIRE(detector.sources.size() == 1);
  const HubSource& source = detector.sources.front();
  REQUIRE(source.files.size() == 1);
  const HubFile& weights = source.files.front();
  CHECK(is_sha256(weights.sha256));
  CHECK(source.revision.size() == 40);
  CHECK(source.path_of(weights).find(source.revision) != std::string::npos);
  const HubModel& speakers = hub_speakers();
  CHECK(find_published(speakers.name) == &speakers);
  CHECK(find_hub_model(speakers.name) == nullptr);
  for (const HubFile& file : speakers.sources.at(0).files) CHECK(is_sha256(file.sha256));
  CHECK(model_folder() / speakers.folder_name() == speaker_model_folder());
  // Default path of --vad True.
  CHECK(model_folder() / detector.folder_name() / weights.name == vad_weights_file());
}

TEST_CASE("catalogue: openai's URLs have the SHA-256 in them") {
  for (const HubModel& model : hub_models()) {
    const HubSource* const source = model.find("pytorch");
    if (source == nullptr) continue;
    const HubFile& weights = source->files.back();
    CHECK(source->path_of(weights).find(weights.sha256) != std::string::npos);
    CHECK(source->path_of(weights).ends_with("/" + std::string(model.name) + ".pt"));
    CHECK(source->url_of(source->files.front(), "").starts_with("https://huggingface.co/openai/"));
  }
}

TEST_CASE("catalogue: sizes in words") {
  CHECK(size_text(0) == "an unknown size");
  CHECK(size_text(2317) == "2 kB");
  CHECK(size_text(147'882'941) == "148 MB");
  CHECK(size_text(3'090'835'702) == "3.1 GB");
}

TEST_CASE("models.lock: what is added is read, and stays") {
  const TemporaryFolder dir;
  CHECK(read_pins(dir.path()).empty());
  add_pins(dir.path(), {});
  CHECK(dir.n_entries() == 0);
  constexpr unsigned kSeed = 25;
  MESSAGE("seed ", kSeed);
  std::mt19937 random(kSeed);
  std::map<std::string, Pin> expected;
  for (int round = 0; round < 5; ++round) {
    std::vector<Pin> pins;
    for (int i = 0; i < 4; ++i) {
      Pin pin{random_text(random, 1 + random() % 3, "ab/. "),
              random_text(random, 64, "0123456789abcdef"), random()};
      if (pin.file.find("  ") != pin.file.npos || pin.file.starts_with(' ')) continue;
      pins.push_back(pin);
      expected.emplace(pin.file, pin);
    }
    add_pins(dir.path(), pins);
  }
  const auto found = read_pins(dir.path());
  REQUIRE(found.size() == expected.size());
  for (const auto& each : expected) {
    CAPTURE(each.first);
    CHECK(found.at(each.first).sha256 == each.second.sha256);
    CHECK(found.at(each.first).bytes == each.second.bytes);
  }
  CHECK(dir.n_entries() == 1);  // no lock is left
}

TEST_CASE("models.lock: damage is told by its line, or a pin is as it was") {
  const TemporaryFolder dir;
  const std::string sum(64, 'a');
  add_pins(dir.path(), {{"a/b", sum, 7}, {"c", std::string(64, 'b'), 8}});
  const std::string good = contents_of(dir.path() / kPinsName);
  dir.make_file(kPinsName, good + "x\n");
  CHECK_THROWS_WITH_AS(read_pins(dir.path()), doctest::Contains("models.lock: line 4: expected"),
                       wnpu::models::ModelError);
  constexpr unsigned kSeed = 26;
  MESSAGE("seed ", kSeed);
  std::mt19937 random(kSeed);
  for (std::size_t i = 0; i < 200 / kSampleShare; ++i) {
    std::string bad = good;
    bad[random() % bad.size()] = static_cast<char>(random());
    dir.make_file(kPinsName, bad);
    try {
      for (const auto& [file, pin] : read_pins(dir.path())) CHECK(is_sha256(pin.sha256));
    } catch (const wnpu::models::ModelError&) {
    }
  }
}

TEST_CASE("pull lock: one thread at a time, and nothing is left") {
  const TemporaryFolder dir;
  std::atomic<int> inside{0};
  std::atomic<int> n_waits{0};
  std::atomic<bool> was_alone{true};
  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([&] {
      for (int round = 0; round < 20; ++round) {
        const PullLock lock(dir.path() / ".lock", [&] { ++n_waits; });
        if (++inside != 1) was_alone = false;
        std::this_thread::yield();
        --inside;
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  CHECK(was_alone);
  CHECK(dir.n_entries() == 0);
  CHECK_THROWS_AS(PullLock(dir.path() / "none/.lock", [] {}), OutputError);
}

TEST_CASE("model path: a name is found as others call its file") {
  const TemporaryFolder dir;
  CHECK(find_name("base", dir.path()).empty());
  dir.make_file("base.pt");
  CHECK(find_name("base", dir.path()) == dir.path() / "base.pt");
  dir.make_file("ggml-base.bin");
  CHECK(find_name("base", dir.path()) == dir.path() / "ggml-base.bin");
  dir.make_file("base/model.bin");
  CHECK(find_name("base", dir.path()) == dir.path() / "base");
  dir.make_file("large-v3-turbo/model.bin");
  CHECK(find_name("turbo", dir.path()) == dir.path() / "large-v3-turbo");
  CHECK(find_name("Systran/faster-whisper-base", dir.path()) == dir.path() / "base");
  CHECK(find_name("someone/base", dir.path()).empty());
  CHECK(find_name("../base", dir.path()).empty());
  CHECK(find_name("", dir.path()).empty());
  dir.make_file(".base.ctranslate2.part/model.bin");  // of a pull that goes on
  CHECK(models_in(dir.path()) ==
        std::vector<std::string>{"base", "base.pt", "ggml-base.bin", "large-v3-turbo"});
}
