#include "models/files/tokenizer_files.h"

#include <optional>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/json_file.h"
#include "models/base/mapped_file.h"
#include "models/files/model_file.h"
#include "models/files/vocabulary_json.h"
#include "models/text/byte_level.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;

// The largest in use, tokenizer.json of large-v3, has 4 MB.
constexpr std::size_t kMaxBytes = std::size_t{16} << 20U;

// Collects the tokens of one file; each id comes once.
class TokenTable {
 public:
  TokenTable(std::string path, std::size_t n_text, std::size_t n_vocab)
      : path_(std::move(path)), n_vocab_(n_vocab), tokens_(n_text) {}

  void set(std::size_t id, const std::string& spelled) {
    if (id >= n_vocab_) {
      fail("ids below " + std::to_string(n_vocab_), std::to_string(id));
    }
    if (id >= tokens_.size()) return;  // a special token
    const auto bytes = bytes_of_spelling(spelled);
    if (!bytes) fail("a token in byte-level spelling at id " + std::to_string(id), spelled);
    if (bytes->size() > kMaxTokenBytes) {
      fail("at most " + std::to_string(kMaxTokenBytes) + " bytes of token " + std::to_string(id),
           std::to_string(bytes->size()));
    }
    if (tokens_[id]) fail("one token an id", "two at id " + std::to_string(id));
    tokens_[id] = *bytes;
  }

  std::vector<std::string> finish() {
    std::vector<std::string> tokens;
    tokens.reserve(tokens_.size());
    for (std::size_t id = 0; id < tokens_.size(); ++id) {
      if (!tokens_[id]) {
        fail(std::to_string(tokens_.size()) + " text tokens", "none at id " + std::to_string(id));
      }
      tokens.push_back(std::move(*tokens_[id]));
    }
    return tokens;
  }

  [[noreturn]] void fail(const std::string& expected, const std::string& found) const {
    throw ModelError(path_ + ": expected " + expected + ", found " + found.substr(0, 60));
  }

 private:
  std::string path_;
  std::size_t n_vocab_;
  std::vector<std::optional<std::string>> tokens_;
};

VocabularyForm form_of(std::string_view file) {
  if (file == "vocabulary.json") return VocabularyForm::list;
  return file == "vocab.json" ? VocabularyForm::map : VocabularyForm::tokenizer;
}

// vocabulary.txt of CTranslate2: one token a line.
void add_lines(TokenTable& table, std::string_view text) {
  std::size_t id = 0;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    table.set(id++, std::string(text.substr(0, end)));
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
}

// Enters all tokens of a tokenizer file; `name` tells its form.
void add_tokens(const fs::path& path, const std::string& name, TokenTable& table) {
  const MappedFile file(path);
  const std::string_view text = as_text(file.bytes());
  if (name == "vocabulary.txt") return add_lines(table, text);
  check_json_size(text.size(), kMaxBytes, path.string());
  read_vocabulary_json(text, path.string(), form_of(name),
                       [&](std::size_t id, const std::string& spelled) { table.set(id, spelled); });
}

}  // namespace

std::vector<std::string> read_text_tokens(const fs::path& directory, std::size_t n_text,
                                          std::size_t n_vocab) {
  for (const char* name : {"vocabulary.json", "vocabulary.txt", "vocab.json", "tokenizer.json"}) {
    const fs::path path = join(directory, name);
    if (!fs::exists(path)) continue;
    TokenTable table(path.string(), n_text, n_vocab);
    add_tokens(path, name, table);
    return table.finish();
  }
  return {};
}

}  // namespace wnpu::models
