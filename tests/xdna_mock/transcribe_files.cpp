// Writes what transcribe_test.sh needs into a folder: model.bin (random weights), npu1.xclbin with
// its manifest and streams, speech.wav (3 s of seeded noise).
#include <filesystem>
#include <iostream>
#include <string>

#include "tests/nano/nano_ggml.h"
#include "tests/support/random_matrix.h"
#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/overlay_folder.h"

namespace {

using namespace wnpu;  // NOLINT

// The smallest that the array can hold: heads of 64.
models::Dims dims() {
  models::Dims dims = tests::nano_dims();
  dims.n_audio_state = 128;
  dims.n_audio_head = 2;
  dims.n_text_state = 128;
  dims.n_text_head = 2;
  return dims;
}

std::string little_endian(std::uint32_t value, int bytes) {
  std::string text;
  for (int i = 0; i < bytes; ++i) text += static_cast<char>(value >> (8 * i) & 0xff);
  return text;
}

// 16-bit mono PCM at 16 kHz (Microsoft's RIFF WAVE).
std::string wav(std::size_t n_samples) {
  std::string samples;
  tests::Random random(5);
  for (std::size_t i = 0; i < n_samples; ++i) {
    const auto value = static_cast<std::int16_t>(3000 * random.uniform());
    samples += little_endian(static_cast<std::uint16_t>(value), 2);
  }
  const auto bytes = static_cast<std::uint32_t>(samples.size());
  return "RIFF" + little_endian(36 + bytes, 4) + "WAVEfmt " + little_endian(16, 4) +
         little_endian(1, 2) + little_endian(1, 2) + little_endian(16000, 4) +
         little_endian(32000, 4) + little_endian(2, 2) + little_endian(16, 2) + "data" +
         little_endian(bytes, 4) + samples;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::cerr << "usage: xrt_transcribe_files FOLDER\n";
    return 2;
  }
  const std::filesystem::path folder = argv[1];
  const tests::NanoModel model = tests::make_nano_model({.dims = dims(), .seed = 1});
  tests::write(tests::to_ggml(model, models::DType::f16), folder / "model.bin");
  tests::write_file(folder / "speech.wav", wav(3 * 16000));
  const npu::LayerShape shape = {dims().n_audio_ctx, dims().n_audio_state, dims().n_audio_head,
                                 4 * dims().n_audio_state};
  tests::write_overlay(folder, tests::calls_of_model(shape, npu::Precision::bf16));
  return 0;
}
