// write_stages MODEL RECORDING FOLDER: what our own encoder and decoder make of the first 30 s on
// the CPU, in fp32: mel.f32 [mels, frames], states.f32 [positions, width], and tokens.json: plain
// greedy tokens, and for each step the largest logit and those of all special tokens, which are
// exact whatever the screen of the vocabulary leaves out.
#include <algorithm>
#include <exception>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <stdexcept>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "decoder/model/decoder.h"
#include "models/files/open_model.h"
#include "models/text/vocabulary.h"
#include "tests/support/first_window.h"

namespace {

using namespace wnpu;
namespace fs = std::filesystem;

constexpr std::size_t kMostTokens = 40;

void write(const fs::path& path, std::span<const float> values) {
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(values.data()),
             static_cast<std::streamsize>(values.size_bytes()));
}

nlohmann::json greedy(const models::ModelFile& file, const models::EncoderStates& states) {
  const models::Vocabulary vocabulary(file.token_bytes(), file.dims(), file.path());
  models::ThreadPool pool(2);
  const decoder::PackedDecoder packed(file.dims(), models::find_decoder_weights(file), pool);
  decoder::Decoder decoder(packed, pool);
  decoder::CrossKv window;
  decoder.cross_kv(states, window);
  decoder::KvCache cache(file.dims(), 1);
  std::vector<models::TokenId> next = {vocabulary.sot(), vocabulary.no_timestamps()};
  nlohmann::json result = {{"prompt", next}, {"tokens", nlohmann::json::array()}};
  models::Matrix logits(1, file.dims().n_vocab);
  for (std::size_t i = 0; i < kMostTokens; ++i) {
    std::vector<decoder::StepRow> rows;
    for (const models::TokenId token : next) rows.push_back({0, token, false, &window});
    rows.back().wants_logits = true;
    decoder.step(cache, rows, logits.view());
    const auto row = logits.row(0);
    const auto best = static_cast<std::size_t>(std::ranges::max_element(row) - row.begin());
    const auto special = row.subspan(file.dims().n_text_tokens());
    result["tokens"].push_back(best);
    result["largest"].push_back(row[best]);
    result["special"].push_back(std::vector<float>(special.begin(), special.end()));
    next = {static_cast<models::TokenId>(best)};
    if (next[0] == vocabulary.eot()) break;
  }
  return result;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc != 4) throw std::invalid_argument("expected MODEL RECORDING FOLDER");
    const auto file = models::open_model(argv[1]);
    const fs::path folder = argv[3];
    write(folder / "mel.f32", tests::first_window(argv[2], file->dims().n_mels).values.flat());
    const models::EncoderStates states = tests::encoded_window(argv[2], *file);
    write(folder / "states.f32", states.values.flat());
    std::ofstream(folder / "tokens.json") << greedy(*file, states).dump();
  } catch (const std::exception& error) {
    std::cerr << "write_stages: " << error.what() << '\n';
    return 1;
  }
}
