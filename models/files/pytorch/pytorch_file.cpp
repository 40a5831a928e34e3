#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "models/base/dims.h"
#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/formats.h"
#include "models/files/pytorch/pickle.h"
#include "models/files/pytorch/torch_archive.h"
#include "models/files/tokenizer_files.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;
using Kind = PickleValue::Kind;

class PytorchFile final : public ModelFile {
 public:
  PytorchFile(const fs::path& path, const TextTokens& find_tokens)
      : file_(path), archive_(file_.bytes(), path.string()) {
    path_ = path.string();
    format_ = kPytorch;
    const Pickle pickle(archive_.pickled(), path_);
    read_dims(entry(pickle.root(), "dims"));
    const PickleValue& state = entry(pickle.root(), "model_state_dict");
    tensors_ = archive_.tensors(state, TorchArchive::Numbers::all);
    check_tensors(path_);
    token_bytes_ = text_tokens(find_tokens);
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const {
    archive_.fail(what, expected, found);
  }

  const PickleValue& entry(const PickleValue& root, const std::string& key) const {
    const PickleValue* const found = root.find(key);
    if (found == nullptr || found->kind != Kind::dict) {
      fail("checkpoint", "openai-whisper's dims and model_state_dict", "no " + key);
    }
    return *found;
  }

  void read_dims(const PickleValue& values) {
    for (const DimName& dim : kDimNames) {
      const PickleValue* const value = values.find(dim.name);
      if (value == nullptr || value->kind != Kind::integer || value->integer < 0) {
        fail(std::string("dims: ") + dim.name, "a number", "none");
      }
      dims_.*dim.extent = static_cast<std::size_t>(value->integer);
    }
    validate(dims_, path_);
  }

  // GPT-2's vocabulary has one text token less than the multilingual one, and the end of text in
  // its place.
  bool is_english(const fs::path& folder) const {
    constexpr std::size_t kMultilingual = 50257;
    try {
      return read_text_tokens(folder, kMultilingual, kMultilingual + 2000).back() ==
             "<|endoftext|>";
    } catch (const ModelError&) {  // there is no such token
      return !dims_.is_multilingual();
    }
  }

  std::vector<std::string> text_tokens(const TextTokens& find_tokens) const {
    const fs::path path(path_);
    const fs::path folder = path.has_parent_path() ? path.parent_path() : fs::path(".");
    std::vector<std::string> tokens =
        read_text_tokens(folder, dims_.n_text_tokens(), dims_.n_vocab);
    if (!tokens.empty() && is_english(folder) == dims_.is_multilingual()) {
      fail("vocabulary",
           std::string(dims_.is_multilingual() ? "a multilingual" : "an English-only") +
               " tokenizer in " + folder.string(),
           "the other");
    }
    if (tokens.empty()) tokens = find_tokens(dims_);
    if (!tokens.empty()) return tokens;
    fail("vocabulary",
         std::string("tokenizer.json, vocab.json or vocabulary.txt beside the checkpoint, which "
                     "has none, or another ") +
             (dims_.is_multilingual() ? "multilingual" : "English-only") +
             " model in its folder or in the cache folder",
         "none");
  }

  MappedFile file_;
  TorchArchive archive_;
};

}  // namespace

std::unique_ptr<ModelFile> open_pytorch(const fs::path& path, const TextTokens& find_tokens) {
  return std::make_unique<PytorchFile>(path, find_tokens);
}

bool is_pytorch_archive(std::string_view start) {
  return start.starts_with("PK\x03\x04") && start.find("/data.pkl") != start.npos;
}

}  // namespace wnpu::models
