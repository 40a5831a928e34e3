// Text vocabularies as model directories hold them: the bytes of each text token, by id.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace wnpu::models {

// From the first of vocabulary.json (list of tokens), vocabulary.txt (a token a line), vocab.json
// (token -> id) and tokenizer.json (HuggingFace tokenizers) that `directory` has; empty if it has
// none. Special tokens, which follow the `n_text` text tokens, are left out; `n_vocab` bounds all
// ids. Throws ModelError.
std::vector<std::string> read_text_tokens(const std::filesystem::path& directory,
                                          std::size_t n_text, std::size_t n_vocab);

}  // namespace wnpu::models
