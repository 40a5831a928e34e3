// Packed model files: what they give is what their source gives, to the last bit, and what is no
// such file is refused.
#include "app/model_store/packed_model.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <doctest/doctest.h>
#include <nlohmann/json.hpp>

#include "app/engine/loaded_model.h"
#include "app/model_store/packed_file.h"
#include "encoder/cpu/cpu_layer_backend.h"
#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/open_model.h"
#include "models/files/packed_file.h"
#include "models/files/packed_format.h"
#include "models/kernels/vectors/instruction_set.h"
#include "models/weights/prepacked_weights.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_model.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"

using namespace wnpu;
using namespace wnpu::tests;
namespace fs = std::filesystem;

namespace {

constexpr auto kPrecisions = {models::Precision::fp32, models::Precision::int16,
                              models::Precision::int8};

// Records all operands that packing makes, by key, as bytes.
class Recorder final : public models::OperandStore {
 public:
  const models::Packing& packing() const override { return packing_; }
  const models::PackedOperand* find(const std::string& /*key*/) const override { return nullptr; }
  void keep(const std::string& key, const models::PackedOperand& made) override {
    std::string& bytes = made_[key];
    bytes = made.number + " " + std::to_string(made.left_limit);
    bytes.append(models::as_text(made.panels));
    for (const auto& part : {made.scales, made.sums, made.centre, made.balance})
      bytes.append(models::as_text(std::as_bytes(part))).append("|");
  }
  const std::map<std::string, std::string>& made() const { return made_; }

 private:
  models::Packing packing_;
  std::map<std::string, std::string> made_;
};

// Passes on what another store has, and counts.
class Counter final : public models::OperandStore {
 public:
  explicit Counter(models::OperandStore& of) : of_(of) {}
  const models::Packing& packing() const override { return of_.packing(); }
  const models::PackedOperand* find(const std::string& key) const override {
    const models::PackedOperand* const found = of_.find(key);
    ++(found == nullptr ? n_missed : n_found);
    return found;
  }
  void keep(const std::string& key, const models::PackedOperand& made) override {
    recorder.keep(key, made);
  }

  mutable std::size_t n_found = 0;
  mutable std::size_t n_missed = 0;
  Recorder recorder;

 private:
  models::OperandStore& of_;
};

// All that a model on the CPU packs.
void pack_all(models::ModelFile& file, models::OperandStore& store, models::Precision precision) {
  models::OperandStore* const before = file.operands();
  file.use_operands(&store);
  models::ThreadPool pool(2);
  encoder::PackedStemAndNorm(file.dims(), models::find_encoder_ends(file), pool, precision);
  encoder::CpuLayers(precision, file.dims(), models::find_encoder_layers(file), pool);
  decoder::PackedDecoder(file.dims(), models::find_decoder_weights(file), pool, precision);
  file.use_operands(before);
}

std::string packed_bytes(models::ModelFile& file, const app::PackedOrder& order) {
  std::string bytes;
  app::write_packed_model(file, order, 2, [&](std::string_view part) { bytes += part; });
  return bytes;
}

app::PackedOrder order_of(std::vector<models::Precision> precisions) {
  return {std::move(precisions), "a test", std::string(64, 'a')};
}

bool is_packed_refused(const fs::path& path) {
  try {
    models::open_model(path);
  } catch (const models::ModelError&) {
    return true;
  }
  return false;
}

// Each instruction set of the machine in turn.
template <typename F>
void for_each_instruction_set(const F& f) {
  const kernels::InstructionSet before = kernels::instruction_set();
  for (const kernels::InstructionSet set : kernels::instruction_sets()) {
    REQUIRE(kernels::use_instruction_set(set));
    CAPTURE(kernels::instruction_set_name());
    f();
  }
  REQUIRE(kernels::use_instruction_set(before));
}

}  // namespace

TEST_CASE("packed model: its operands are what packing its source makes, and all are found") {
  const TemporaryFolder folder;
  constexpr std::array kSeeds{2U, 1U};
  for (const std::uint32_t seed : some_of(kSeeds)) {
    CAPTURE(seed);
    const NanoModel nano = make_nano_model({.dims = small_dims(), .seed = seed});
    const auto quantization = seed == 1 ? Ct2Quantization::float16 : Ct2Quantization::int8;
    write(to_ctranslate2(nano, quantization), folder.path() / "model");
    const auto source = models::open_model(folder.path() / "model");
    for_each_instruction_set([&] {
      const fs::path path =
          folder.make_file("p.wnpu", packed_bytes(*source, order_of(kPrecisions)));
      const auto packed = models::open_model(path);
      for (const models::Precision precision : kPrecisions) {
        CAPTURE(models::precision_name(precision));
        Recorder from_source;
        pack_all(*source, from_source, precision);
        Recorder from_packed;  // its portable weights are the source's
        pack_all(*packed, from_packed, precision);
        CHECK(from_packed.made() == from_source.made());
        Recorder stored;
        for (const auto& [key, bytes] : from_source.made()) {
          const models::PackedOperand* const found = packed->operands()->find(key);
          REQUIRE(found != nullptr);
          stored.keep(key, *found);
        }
        CHECK(stored.made() == from_source.made());
        Counter counter(*packed->operands());
        pack_all(*packed, counter, precision);
        CHECK(counter.n_missed == 0);
        CHECK(counter.n_found == from_source.made().size());
        CHECK(counter.recorder.made().empty());
      }
    });
  }
}

TEST_CASE("packed model: another instruction set, build or precision packs in memory") {
  const TemporaryFolder folder;
  const auto source = open_in_memory(small_model());
  const fs::path path =
      folder.make_file("p.wnpu", packed_bytes(*source, order_of({models::Precision::fp32})));
  const models::PackedOrigin origin = models::packed_origin(path);
  CHECK(app::misfit(origin, models::Precision::fp32).empty());
  CHECK(app::misfit(origin, models::Precision::int16) == "it was not packed for int16");
  models::PackedOrigin other = origin;
  other.packing.build += "x";
  CHECK(app::misfit(other, models::Precision::fp32) == "another build packed it: a test");
  const auto packed = models::open_model(path);
  for_each_instruction_set([&] {
    const bool is_same = origin.packing == models::present_packing();
    CHECK(app::misfit(origin, models::Precision::fp32).empty() == is_same);
    Counter counter(*packed->operands());
    pack_all(*packed, counter, models::Precision::fp32);
    Recorder from_source;
    pack_all(*source, from_source, models::Precision::fp32);
    if (is_same) return;
    CHECK(counter.recorder.made() == from_source.made());
  });
}

TEST_CASE("packed model: cut, or with a bit flipped where it is checked, it is refused") {
  const TemporaryFolder folder;
  const auto source = open_in_memory(small_model());
  const std::string good = packed_bytes(*source, order_of({models::Precision::fp32}));
  const fs::path path = folder.make_file("p.wnpu", good);
  REQUIRE(!is_packed_refused(path));
  CHECK(models::damaged_sections(path).empty());
  std::mt19937 random(7);
  std::size_t index = 0;  // where it begins
  std::memcpy(&index, good.data() + good.size() - 32, sizeof index);
  REQUIRE(index < good.size());
  const std::size_t runs = 40;
  for (std::size_t i = 0; i < runs; ++i) {
    const std::size_t length = i < 10 ? good.size() - 1 - i : random() % good.size();
    CAPTURE(length);
    folder.make_file("p.wnpu", good.substr(0, length));
    CHECK(is_packed_refused(path));
  }
  for (std::size_t i = 0; i < runs; ++i) {
    // The magic and the version, the index, the tail but for its four unused bytes.
    const std::size_t at = i < 12 ? i : index + random() % (good.size() - 12 - index);
    CAPTURE(at);
    std::string bad = good;
    bad[at] = static_cast<char>(bad[at] ^ (1 << random() % 8));
    folder.make_file("p.wnpu", bad);
    CHECK(is_packed_refused(path));
  }
  // In a section: it opens, and verification names it.
  std::string bad = good;
  bad[64] = static_cast<char>(bad[64] ^ 1);
  folder.make_file("p.wnpu", bad);
  CHECK(models::damaged_sections(path) ==
        std::vector<std::string>{source->tensors().begin()->first});
}

TEST_CASE("packed model: overlong tokens and sections that share bytes are refused") {
  const TemporaryFolder folder;
  const auto source = open_in_memory(small_model());
  const std::string good = packed_bytes(*source, order_of({models::Precision::int8}));
  std::array<std::uint64_t, 2> place{};  // of the index
  std::memcpy(place.data(), good.data() + good.size() - 32, sizeof place);
  nlohmann::json index = nlohmann::json::parse(good.substr(place[0], place[1]));
  std::string bad = good;
  const std::uint16_t length = 1025;
  std::memcpy(bad.data() + index["tokens"][0].get<std::size_t>(), &length, sizeof length);
  CHECK_THROWS_WITH_AS(models::open_model(folder.make_file("p.wnpu", bad)),
                       doctest::Contains("token 0: expected at most 1024 bytes, found 1025"),
                       models::ModelError);

  for (int i = 0; i < 200; ++i) {
    nlohmann::json same = index["operands"][0];
    same["key"] = std::to_string(i);
    index["operands"].push_back(same);
  }
  const std::string text = index.dump();
  place[1] = text.size();
  const std::uint32_t sum = models::checksum(std::as_bytes(std::span(text)));
  std::string tail = good.substr(good.size() - 32);
  std::memcpy(tail.data(), place.data(), sizeof place);
  std::memcpy(tail.data() + sizeof place, &sum, sizeof sum);
  const std::string shared = good.substr(0, place[0]) + text + tail;
  CHECK_THROWS_WITH_AS(models::open_model(folder.make_file("p.wnpu", shared)),
                       doctest::Contains("expected sections apart, found some that share bytes"),
                       models::ModelError);
}

TEST_CASE("packed model: an operand that is not what its key says is refused") {
  const TemporaryFolder folder;
  const auto source = open_in_memory(small_model());
  const fs::path path =
      folder.make_file("p.wnpu", packed_bytes(*source, order_of({models::Precision::int16})));
  const auto file = models::open_model(path);
  const std::string key = "encoder.blocks.0.mlp.0.weight";
  const models::WantedOperand wanted{"p: m", key, kernels::DataType::i16, 32, 128};
  REQUIRE(models::find_stored(file->operands(), wanted));

  // As the file has it, with one thing changed.
  class Changed final : public models::OperandStore {
   public:
    explicit Changed(models::OperandStore& of, const std::string& key)
        : operand(*of.find(key)), of_(of) {}
    const models::Packing& packing() const override { return of_.packing(); }
    const models::PackedOperand* find(const std::string& /*key*/) const override {
      return &operand;
    }
    void keep(const std::string& /*key*/, const models::PackedOperand& /*made*/) override {}
    models::PackedOperand operand;

   private:
    models::OperandStore& of_;
  };
  const auto refuses = [&](auto change) {
    Changed store(*file->operands(), key + "|i16");
    change(store.operand);
    CHECK_THROWS_AS(models::find_stored(&store, wanted), models::ModelError);
  };
  const std::vector<float> infinite(256, std::numeric_limits<float>::infinity());
  refuses([](auto& operand) { operand.number = "u8"; });
  refuses([](auto& operand) { operand.number = "none"; });
  refuses([](auto& operand) { operand.k += 1; });
  refuses([](auto& operand) { operand.n -= 1; });
  refuses([](auto& operand) { operand.panel_cols *= 2; });
  refuses([](auto& operand) { operand.panels = operand.panels.first(operand.panels.size() - 1); });
  refuses([](auto& operand) { operand.scales = operand.scales.first(1); });
  refuses([](auto& operand) { operand.sums = operand.scales; });
  refuses(
      [&](auto& operand) { operand.scales = std::span(infinite).first(operand.scales.size()); });
  refuses([](auto& operand) { operand.left_limit = 40000; });
  refuses([](auto& operand) { operand.left_limit = std::numeric_limits<float>::quiet_NaN(); });
}
