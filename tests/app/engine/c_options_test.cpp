// Options of the C interface: the engine's defaults, every field, structs of other versions.
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string>

#include <doctest/doctest.h>

#include "app/engine/c/options.h"
#include "tests/app/engine/c_struct.h"

using namespace wnpu;  // NOLINT
using tests::initial;

namespace {

// A C struct as its 8-byte fields.
template <typename C>
std::array<std::uint64_t, sizeof(C) / 8> words_of(const C& c) {
  std::array<std::uint64_t, sizeof(C) / 8> words{};
  std::memcpy(words.data(), &c, sizeof c);
  return words;
}

template <typename C>
C with_word(C c, std::size_t i, std::uint64_t word) {
  auto words = words_of(c);
  words.at(i) = word;
  std::memcpy(&c, words.data(), sizeof c);
  return c;
}

// The options are refused, with a text.
template <typename C>
bool is_refused(const C& options) {
  try {
    c::to_engine(&options);
  } catch (const Error& error) {
    CHECK(error.code() == ErrorCode::usage);
    CHECK_FALSE(std::string(error.what()).empty());
    return true;
  }
  return false;
}

template <typename C>
void check_that_every_field_counts() {
  const auto c = initial<C>();
  const auto before = c::to_engine(&c);
  alignas(8) static const char kText[64] = "x";
  for (std::size_t i = 1; i < words_of(c).size(); ++i) {
    CAPTURE(i);
    const auto pointed = with_word(c, i, reinterpret_cast<std::uintptr_t>(&kText));
    const auto zero = with_word(c, i, 0);
    CHECK((is_refused(pointed) || !(c::to_engine(&pointed) == before) || is_refused(zero) ||
           !(c::to_engine(&zero) == before)));
  }
}

// Sizes of older and newer structs.
template <typename C>
void check_sizes() {
  const auto c = initial<C>();
  for (std::size_t size = 8; size <= sizeof c; size += 8) {
    CAPTURE(size);
    // Bytes behind the older struct's end are left alone.
    C older;
    std::memset(&older, 0xAB, sizeof older);
    c::init(&older, size);
    CHECK(words_of(older)[0] == size);
    for (std::size_t i = size / 8; i < words_of(older).size(); ++i) {
      CHECK(words_of(older)[i] == 0xABABABABABABABABU);
    }
    CHECK_FALSE(is_refused(older));
  }
  for (const std::size_t size : {std::size_t{0}, std::size_t{4}, sizeof c - 1, sizeof c + 4,
                                 std::size_t{1} << 20U, ~std::size_t{0}}) {
    CAPTURE(size);
    auto wrong = c;
    wrong.size = size;
    CHECK(is_refused(wrong));
    CHECK_THROWS_AS(c::init(&wrong, size), Error);
  }
  struct {
    C known;
    std::array<std::uint64_t, 3> later;
  } newer;
  std::memset(&newer, 0xAB, sizeof newer);
  c::init(&newer.known, sizeof newer);
  CHECK(newer.later == std::array<std::uint64_t, 3>{});
  CHECK_FALSE(is_refused(newer.known));
  newer.later[2] = 1;
  CHECK(is_refused(newer.known));
}

}  // namespace

TEST_CASE("c options: defaults are those of C++") {
  const auto model = initial<whisper_npu_model_options>();
  CHECK(c::to_engine(&model) == ModelOptions());
  CHECK(c::to_engine(static_cast<const whisper_npu_model_options*>(nullptr)) == ModelOptions());
  const auto transcribe = initial<whisper_npu_transcribe_options>();
  CHECK(c::to_engine(&transcribe) == TranscribeOptions());
  CHECK(c::to_engine(static_cast<const whisper_npu_transcribe_options*>(nullptr)) ==
        TranscribeOptions());
  CHECK(std::string(model.device) == "auto");
  CHECK(transcribe.beam_size == 5);
  CHECK(std::isnan(transcribe.length_penalty));
  CHECK(transcribe.n_suppress_tokens == 1);
  CHECK(transcribe.suppress_tokens[0] == -1);
  CHECK(initial<whisper_npu_audio>().track == -1);
  CHECK(initial<whisper_npu_audio>().container_times == 1);
}

TEST_CASE("c options: every field counts, and is one of the engine's") {
  check_that_every_field_counts<whisper_npu_model_options>();
  check_that_every_field_counts<whisper_npu_transcribe_options>();
  auto options = initial<whisper_npu_transcribe_options>();
  const std::array<double, 3> clips = {1, 2, 3};
  options.clip_timestamps = clips.data();
  options.n_clip_timestamps = clips.size();
  options.task = WHISPER_NPU_TRANSLATE;
  options.vad_neg_threshold = 0.25;
  options.prepend_punctuations = nullptr;
  TranscribeOptions expected;
  expected.clip_timestamps = {1, 2, 3};
  expected.task = Task::translate;
  expected.vad.neg_threshold = 0.25;
  expected.prepend_punctuations = "";
  CHECK(c::to_engine(&options) == expected);
}

TEST_CASE("c options: an operator, a plan and a memory limit of the NPU") {
  auto options = initial<whisper_npu_model_options>();
  options.npu_plan_file = "base.plan";
  options.npu_operator = "gelu=mine";
  options.npu_operator_path = "mine.so";
  options.memory_limit = 1U << 20U;
  options.ort_library = "libonnxruntime.so";
  options.ort_plugin = "libqnn.so";
  options.ort_option = "key=value";
  options.ort_weights = "fp16";
  ModelOptions expected;
  expected.device.plan_file = "base.plan";
  expected.device.npu_operator = "gelu=mine";
  expected.device.operators = {"mine.so"};
  expected.device.memory_limit = 1U << 20U;
  expected.device.ort = {"libonnxruntime.so", {"libqnn.so"}, {"key=value"}, "fp16"};
  CHECK(c::to_engine(&options) == expected);
  options.size = offsetof(whisper_npu_model_options, npu_plan_file);  // a program from before them
  CHECK(c::to_engine(&options) == ModelOptions());
}

TEST_CASE("c options: structs of other versions are known by their size") {
  check_sizes<whisper_npu_model_options>();
  check_sizes<whisper_npu_transcribe_options>();
  auto options = initial<whisper_npu_transcribe_options>();
  options.beam_size = 3;
  options.patience = 7;
  options.size = offsetof(whisper_npu_transcribe_options, patience);
  TranscribeOptions expected;
  expected.beam_size = 3;
  CHECK(c::to_engine(&options) == expected);
}
