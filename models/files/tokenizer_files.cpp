#include "models/files/tokenizer_files.h"

#include <optional>

#include "models/base/error.h"
#include "models/base/folder.h"
#include "models/base/json_file.h"
#include "models/base/mapped_file.h"
#include "models/text/byte_level.h"

namespace wnpu::models {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

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

// vocabulary.json of CTranslate2: [token, ...]
void add_list(TokenTable& table, const json& list) {
  if (!list.is_array()) table.fail("a list of tokens", list.type_name());
  for (std::size_t id = 0; id < list.size(); ++id) {
    if (!list[id].is_string()) table.fail("tokens as strings", list[id].dump());
    table.set(id, list[id].get_ref<const std::string&>());
  }
}

// vocab.json of HuggingFace, and model.vocab in tokenizer.json: {token: id, ...}
void add_map(TokenTable& table, const json& map) {
  if (!map.is_object()) table.fail("a map of tokens to ids", map.type_name());
  for (const auto& [token, id] : map.items()) {
    if (!id.is_number_unsigned()) table.fail("ids as numbers", id.dump());
    table.set(id.get<std::size_t>(), token);
  }
}

void add_tokenizer(TokenTable& table, const json& tokenizer) {
  if (!tokenizer.is_object() || !tokenizer.contains("model") || !tokenizer["model"].is_object() ||
      !tokenizer["model"].contains("vocab")) {
    table.fail("a model.vocab", "none");
  }
  add_map(table, tokenizer["model"]["vocab"]);
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

}  // namespace

std::vector<std::string> read_text_tokens(const fs::path& directory, std::size_t n_text,
                                          std::size_t n_vocab) {
  for (const char* name : {"vocabulary.json", "vocabulary.txt", "vocab.json", "tokenizer.json"}) {
    const fs::path path = join(directory, name);
    if (!fs::exists(path)) continue;
    TokenTable table(path.string(), n_text, n_vocab);
    const std::string_view file(name);
    if (file == "vocabulary.txt") {
      const MappedFile lines(path);
      add_lines(table, as_text(lines.bytes()));
    } else {
      const json parsed = read_json(path, kMaxBytes);
      if (file == "vocabulary.json") add_list(table, parsed);
      if (file == "vocab.json") add_map(table, parsed);
      if (file == "tokenizer.json") add_tokenizer(table, parsed);
    }
    return table.finish();
  }
  return {};
}

}  // namespace wnpu::models
