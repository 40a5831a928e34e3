// write_seeds FOLDER: the seeds that are models, FOLDER/<target>/<name>. By hand, where a reader
// takes something new; the text seeds are written by hand, and write_audio_seeds.sh makes sounds.
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <string>
#include <vector>

#include "tests/fuzz/input_folder.h"
#include "tests/fuzz/zero_model.h"
#include "tests/nano/nano_codec.h"
#include "tests/nano/nano_ctranslate2.h"
#include "tests/nano/nano_ggml.h"
#include "tests/nano/nano_pytorch.h"
#include "tests/nano/nano_safetensors.h"
#include "tests/support/temporary_folder.h"

namespace {

namespace fs = std::filesystem;
using namespace wnpu;
using models::DType;

// The opposite of written_out(), of zeros.
std::string without_zeros(const std::string& bytes) {
  constexpr std::size_t kShortest = 12;
  std::string shorter;
  for (std::size_t at = 0; at < bytes.size();) {
    const std::size_t end = std::min(bytes.find_first_not_of('\0', at), bytes.size());
    const auto zeros = static_cast<std::uint32_t>(end - at);
    if (zeros >= kShortest) {
      shorter += std::string(fuzz::kZeros) + tests::bytes_of(zeros);
      at = end;
    } else {
      shorter += bytes[at++];
    }
  }
  return shorter;
}

std::string read(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

void write_seed(const fs::path& path, const std::vector<std::string>& files) {
  fs::create_directories(path.parent_path());
  std::ofstream seed(path, std::ios::binary);
  for (std::size_t i = 0; i < files.size(); ++i)
    seed << (i == 0 ? "" : fuzz::kNextFile) << without_zeros(files[i]);
}

void write_ggml(const fs::path& folder) {
  const tests::TemporaryFolder temp;
  const fs::path file = temp.path() / "ggml.bin";
  for (const auto& [name, dtype, width] : std::vector<std::tuple<const char*, DType, std::size_t>>{
           {"f16", DType::f16, 2}, {"q5_1", DType::q5_1, 32}}) {
    write(tests::to_ggml(fuzz::model_of_zeros(width), dtype), file);
    write_seed(folder / "ggml" / name, {read(file)});
  }
}

void write_ctranslate2(const fs::path& folder) {
  const tests::TemporaryFolder temp;
  const tests::NanoModel model = fuzz::model_of_zeros(2);
  const tests::Ct2Model float16 = to_ctranslate2(model, tests::Ct2Quantization::float16);
  write(float16, temp.path());
  const fs::path seeds = folder / "ctranslate2";
  write_seed(seeds / "float16", {read(temp.path() / "model.bin"), float16.config});
  // A scale a row of the embedding would be what a seed may not be: large.
  tests::Ct2Model int8 = to_ctranslate2(model, tests::Ct2Quantization::int8);
  const std::string embedding = "decoder/embeddings/weight";
  std::erase_if(int8.variables, [&](const auto& v) { return v.name == embedding + "_scale"; });
  int8.at(embedding) = tests::Ct2Model(float16).at(embedding);
  for (tests::Ct2Variable& variable : int8.variables) {
    if (!variable.name.ends_with("weight_scale")) continue;
    for (std::size_t at = 0; at < variable.bytes.size(); at += sizeof(float))
      variable.bytes.replace(at, sizeof(float), tests::bytes_of(1.0F));
  }
  std::erase_if(int8.aliases, [](const auto& alias) { return alias.first.ends_with("_scale"); });
  write(int8, temp.path());
  write_seed(seeds / "int8", {read(temp.path() / "model.bin"), int8.config});
}

void write_safetensors(const fs::path& folder) {
  const tests::StModel model = to_safetensors(fuzz::model_of_zeros(2), DType::f16);
  const fs::path seeds = folder / "safetensors";
  write_seed(seeds / "whole",
             {model.config, model.generation_config, tests::safetensors_bytes(model.tensors)});
  const tests::TemporaryFolder temp;
  write(model, temp.path(), 2);
  write_seed(
      seeds / "shards",
      {model.config, "", "", "", read(temp.path() / "model.safetensors.index.json"),
       read(temp.path() / "model-1.safetensors"), read(temp.path() / "model-2.safetensors")});
}

void write_pytorch(const fs::path& folder) {
  const tests::NanoModel model = fuzz::model_of_zeros(2);
  write_seed(folder / "pytorch" / "parameters",
             {tests::zip_bytes(to_pytorch(model, {DType::f16, false, true}))});
  write_seed(folder / "pytorch" / "zip32",
             {tests::zip_bytes(to_pytorch(model, {DType::bf16, true, false}), false)});
  write_seed(folder / "pickle" / "whole", {to_pytorch(model).at("data.pkl")});
  write_seed(folder / "pickle" / "shared", {to_pytorch(model, {.is_shared = true}).at("data.pkl")});
}

// Its STFT's values are what the target puts in place of a mark.
void write_silero_vad(const fs::path& folder) {
  std::vector<tests::StTensor> tensors;
  const auto add = [&tensors](const std::string& name, const std::vector<std::size_t>& shape) {
    std::size_t bytes = sizeof(float);
    for (const std::size_t extent : shape) bytes *= extent;
    tensors.push_back({name, "F32", shape, std::string(bytes, '\0')});
  };
  add("stft_conv.weight", {258, 1, 256});
  const std::size_t stft_bytes = tensors[0].bytes.size();
  const std::vector<std::vector<std::size_t>> shapes = {
      {128, 129, 3}, {64, 128, 3}, {64, 64, 3}, {128, 64, 3}};
  for (std::size_t i = 0; i < shapes.size(); ++i) {
    add("conv" + std::to_string(i + 1) + ".weight", shapes[i]);
    add("conv" + std::to_string(i + 1) + ".bias", {shapes[i][0]});
  }
  for (const char* kind : {"ih", "hh"}) {
    add(std::string("lstm_cell.weight_") + kind, {512, 128});
    add(std::string("lstm_cell.bias_") + kind, {512});
  }
  add("final_conv.weight", {1, 128, 1});
  add("final_conv.bias", {1});
  std::string bytes = tests::safetensors_bytes(tensors);
  std::size_t values = bytes.size();
  for (const tests::StTensor& tensor : tensors) values -= tensor.bytes.size();
  bytes.replace(values, stft_bytes, "\xF5S");
  write_seed(folder / "silero_vad" / "zeros", {bytes});
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 2) throw std::invalid_argument("expected one argument, a folder");
    const fs::path folder = argv[1];
    write_ggml(folder);
    write_ctranslate2(folder);
    write_safetensors(folder);
    write_pytorch(folder);
    write_silero_vad(folder);
  } catch (const std::exception& error) {
    std::cerr << "write_seeds: " << error.what() << '\n';
    return 1;
  }
}
