// Vocabularies in JSON, read token by token: no tree of fifty thousand strings is built.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace wnpu::models {

enum class VocabularyForm {
  list,       // vocabulary.json of CTranslate2: [token, ...]
  map,        // vocab.json of HuggingFace: {token: id, ...}
  tokenizer,  // tokenizer.json: such a map under "model", "vocab"
};

// Gives each token's id and spelling to `take`, in the order of the file. Throws ModelError, with
// `path` in the message, for what is no JSON or has another form; and what `take` throws.
void read_vocabulary_json(
    std::string_view text, const std::string& path, VocabularyForm form,
    const std::function<void(std::size_t id, const std::string& spelled)>& take);

}  // namespace wnpu::models
