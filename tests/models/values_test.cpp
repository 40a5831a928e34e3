// Tensors whose values are no numbers: in each format and type, in each tensor, refused by name.
#include <array>
#include <cstdint>
#include <iterator>
#include <limits>
#include <string>
#include <vector>

#include <doctest/doctest.h>

#include "models/base/error.h"
#include "models/files/model_file.h"
#include "models/files/open_model.h"
#include "models/files/tensor_layout.h"
#include "models/weights/weights.h"
#include "tests/few_samples.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/small_model.h"
#include "tests/support/temporary_folder.h"
#include "tests/support/text.h"

using namespace wnpu::models;
using namespace wnpu::tests;

namespace {

// By turns, since all of them at each place take minutes.
constexpr std::array<float, 3> kNoNumbers = {std::numeric_limits<float>::quiet_NaN(),
                                             std::numeric_limits<float>::infinity(),
                                             -std::numeric_limits<float>::infinity()};
constexpr std::array<std::uint16_t, 3> kNoHalves = {0x7e00, 0x7c00, 0xfc00};
constexpr std::array<std::uint16_t, 3> kNoBrainFloats = {0x7fc0, 0x7f80, 0xff80};

// Bytes of NaN or an infinity, the one for `turn`, for a tensor's first value or its first block's
// scale.
std::string no_number(DType dtype, std::size_t turn) {
  if (dtype == DType::f32) return bytes_of(kNoNumbers[turn % 3]);
  if (dtype == DType::bf16) return bytes_of(kNoBrainFloats[turn % 3]);
  return bytes_of(kNoHalves[turn % 3]);
}

// Error on reading all weights; empty: none.
std::string value_refusal(const std::filesystem::path& path) {
  return wnpu::tests::message_of<ModelError>([&] {
    const auto file = open_model(path);
    load_encoder_weights(*file);
    load_decoder_weights(*file);
  });
}

// Writes `model` with each of `n` tensors spoilt in turn; `spoil` gives a tensor's name in
// messages.
template <typename Model, typename Spoil>
void check_each_spoilt(const Model& model, std::size_t n, const std::filesystem::path& path,
                       const Spoil& spoil) {
  constexpr std::size_t kStep = kFewSamples ? 5 : 1;
  for (std::size_t i = 0; i < n; i += kStep) {
    Model spoilt = model;
    const std::string name = spoil(spoilt, i);
    if (name.empty()) continue;
    write(spoilt, path);
    const std::string said = value_refusal(path);
    INFO(name, ": ", said);
    CHECK(said.find(name) != std::string::npos);
    CHECK(said.find("expected") != std::string::npos);
  }
}

}  // namespace

TEST_CASE("values that are no numbers: refused in each tensor of a safetensors file") {
  const TemporaryFolder dir;
  for (const DType dtype : {DType::f32, DType::f16, DType::bf16}) {
    StModel model = to_safetensors(small_model(), dtype);
    model.vocab.clear();
    check_each_spoilt(model, model.tensors.size(), dir.path(), [&](StModel& spoilt, std::size_t i) {
      const std::string bytes = no_number(dtype, i);
      spoilt.tensors[i].bytes.replace(0, bytes.size(), bytes);
      return std::next(small_model().tensors.begin(), static_cast<std::ptrdiff_t>(i))->first;
    });
  }
}

TEST_CASE("values that are no numbers: refused in each tensor of a ggml file") {
  const TemporaryFolder dir;
  constexpr std::array<DType, 9> kTypes = {DType::f32, DType::f16, DType::q4_0, DType::q4_1,
                                           DType::f32, DType::f32, DType::q5_0, DType::q5_1,
                                           DType::q8_0};  // by their numbers in the file
  for (const DType dtype : {DType::q4_0, DType::q4_1, DType::q5_0, DType::q5_1, DType::q8_0}) {
    const GgmlModel model = to_ggml(small_model(), dtype);
    check_each_spoilt(model, model.tensors.size(), dir.path() / "ggml.bin",
                      [&](GgmlModel& spoilt, std::size_t i) {
                        GgmlTensor& tensor = spoilt.tensors[i];
                        const auto type = kTypes.at(static_cast<std::size_t>(tensor.type));
                        const std::string bytes = no_number(type, i);
                        tensor.bytes.replace(0, bytes.size(), bytes);
                        return tensor.name;
                      });
  }
}

TEST_CASE("values that are no numbers: refused in each variable of a CTranslate2 directory") {
  using enum Ct2Quantization;
  const TemporaryFolder dir;
  for (const auto quantization : {float32, float16, bfloat16, int8, int8_float16}) {
    Ct2Model model = to_ctranslate2(small_model(), quantization);
    model.vocabulary = "[]";
    check_each_spoilt(
        model, model.variables.size(), dir.path(), [&](Ct2Model& spoilt, std::size_t i) {
          Ct2Variable& variable = spoilt.variables[i];
          const bool is_float = variable.type == 0 || variable.type >= 4;
          if (!is_float || variable.shape.empty()) return std::string();
          constexpr std::array<DType, 6> kTypes = {DType::f32, DType::f32, DType::f32,
                                                   DType::f32, DType::f16, DType::bf16};
          const std::string bytes = no_number(kTypes.at(variable.type), i);
          variable.bytes.replace(0, bytes.size(), bytes);
          // Messages about a fused matrix name the part, so that the file's name must do.
          return dir.path().string();
        });
  }
}
