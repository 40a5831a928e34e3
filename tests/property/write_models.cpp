// write_models FOLDER: small Whispers of random weights in every file format, and a detector of
// speech, as property_test.py wants them:
//   tiny.en               English-only, CTranslate2 fp16; the name that is the default model
//   multilingual.bin      ggml q5_0
//   int8, head64          CTranslate2 int8; of one head of 64 columns, as the NPU's layers have
//   wide                  safetensors bf16, two such heads, 128 mel bands
//   plain.bin             ggml f32, logits as they come: long texts of timestamps
//   silero_vad/silero_vad_16k.safetensors
// All but `plain` end their text after a few tokens, and not all of these are timestamps.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <random>

#include "audio/vad/hann_stft.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_model.h"
#include "tests/nano/nano_safetensors.h"

namespace {

using namespace wnpu;         // NOLINT
using namespace wnpu::tests;  // NOLINT

models::Dims dims_of(std::size_t width, std::size_t heads, std::size_t n_vocab,
                     std::size_t n_mels = 80) {
  models::Dims dims = nano_dims();
  dims.n_mels = n_mels;
  dims.n_vocab = n_vocab;
  dims.n_audio_state = dims.n_text_state = width;
  dims.n_audio_head = dims.n_text_head = heads;
  return dims;
}

// Adds `by` to the logits of `count` tokens, whatever the decoder's state: a part of these tokens'
// embeddings lies along the bias of the last layer norm.
void favour(NanoModel& model, std::size_t first, std::size_t count, float by) {
  const auto& bias = model.tensors.at("decoder.ln.bias").values;
  float square = 0;
  for (const float value : bias) square += value * value;
  auto& embedding = model.tensors.at("decoder.token_embedding.weight").values;
  for (std::size_t token = first; token < first + count; ++token) {
    for (std::size_t i = 0; i < bias.size(); ++i) {
      float& value = embedding[token * bias.size() + i];
      value = static_cast<float>(from_f16(to_f16(value + by * bias[i] / square)));
    }
  }
}

// Logits far apart, as a trained model's are; text ends soon and has more than timestamps.
NanoModel make_terse_model(const models::Dims& dims, std::uint32_t seed) {
  constexpr float kSpread = 4;
  constexpr std::size_t kTimestamps = 1501;
  NanoModel model = make_nano_model({.dims = dims, .seed = seed});
  for (float& gain : model.tensors.at("decoder.ln.weight").values) gain *= kSpread;
  favour(model, dims.is_multilingual() ? 50257 : 50256, 1, 3 * kSpread);  // end of text
  favour(model, dims.n_vocab - kTimestamps, kTimestamps, -kSpread);
  return model;
}

StTensor random_tensor(const std::string& name, std::vector<std::size_t> shape, float bound) {
  std::mt19937 random(static_cast<std::uint32_t>(name.size() * shape[0]));
  std::size_t count = 1;
  for (const std::size_t extent : shape) count *= extent;
  std::vector<float> values(count);
  for (float& value : values) {
    value = bound * (static_cast<float>(random() % 2001U) / 1000.0F - 1.0F);
  }
  return {name, "F32", std::move(shape), encode(models::DType::f32, values)};
}

StTensor stft_tensor() {
  using Stft = audio::HannStft;
  std::vector<float> values(2 * Stft::kBins * Stft::kSize);
  for (std::size_t i = 0; i < Stft::kBins * Stft::kSize; ++i) {
    const auto [re, im] = Stft::weight(i / Stft::kSize, i % Stft::kSize);
    values[i] = static_cast<float>(re);
    values[Stft::kBins * Stft::kSize + i] = static_cast<float>(im);
  }
  return {"stft_conv.weight",
          "F32",
          {2 * Stft::kBins, 1, Stft::kSize},
          encode(models::DType::f32, values)};
}

// A Silero network of random weights: what it takes for speech is as good as any.
void write_detector(const std::filesystem::path& path) {
  std::vector<StTensor> tensors = {stft_tensor()};
  const auto add = [&tensors](const std::string& name, std::vector<std::size_t> shape) {
    tensors.push_back(random_tensor(name, std::move(shape), 0.2F));
  };
  const std::vector<std::vector<std::size_t>> convolutions = {
      {128, 129, 3}, {64, 128, 3}, {64, 64, 3}, {128, 64, 3}};
  for (std::size_t i = 0; i < convolutions.size(); ++i) {
    const std::string name = "conv" + std::to_string(i + 1);
    add(name + ".weight", convolutions[i]);
    add(name + ".bias", {convolutions[i].front()});
  }
  for (const char* part : {"ih", "hh"}) {
    add(std::string("lstm_cell.weight_") + part, {512, 128});
    add(std::string("lstm_cell.bias_") + part, {512});
  }
  add("final_conv.weight", {1, 128, 1});
  add("final_conv.bias", {1});
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary) << safetensors_bytes(tensors);
}

void write_models(const std::filesystem::path& folder) {
  constexpr std::size_t kEnglish = 51864;
  constexpr std::size_t kMultilingual = 51865;
  constexpr std::size_t kCantonese = 51866;
  using models::DType;
  const auto terse = make_terse_model;
  write(to_ctranslate2(terse(dims_of(64, 2, kEnglish), 1), Ct2Quantization::float16),
        folder / "tiny.en");
  write(to_ggml(terse(dims_of(64, 2, kMultilingual), 2), DType::q5_0), folder / "multilingual.bin");
  write(to_ctranslate2(terse(dims_of(64, 2, kMultilingual), 3), Ct2Quantization::int8),
        folder / "int8");
  write(to_ctranslate2(terse(dims_of(64, 1, kMultilingual), 4), Ct2Quantization::float16),
        folder / "head64");
  write(to_safetensors(terse(dims_of(128, 2, kCantonese, 128), 5), DType::bf16), folder / "wide");
  write(to_ggml(make_nano_model(), DType::f32), folder / "plain.bin");
  write_detector(folder / "silero_vad/silero_vad_16k.safetensors");
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::invalid_argument("expected one argument, a folder");
    write_models(argv[1]);
  } catch (const std::exception& error) {
    std::cerr << "write_models: " << error.what() << '\n';
    return 1;
  }
}
