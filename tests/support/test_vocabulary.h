// A vocabulary without a tokenizer file: GPT-2's 256 single bytes first, then made-up words, so
// that special tokens have their real ids.
#pragma once

#include <string>
#include <vector>

#include "models/base/dims.h"
#include "models/text/vocabulary.h"
#include "tests/nano/nano_model.h"

namespace wnpu::tests {

// English only: 50256 text tokens. Multilingual: 50257.
inline models::Vocabulary test_vocabulary(bool multilingual) {
  models::Dims dims = nano_dims();
  dims.n_vocab = multilingual ? 51865 : 51864;
  std::vector<std::string> bytes;
  for (int c = 0; c < 256; ++c) bytes.emplace_back(1, static_cast<char>(c));
  const std::size_t n = multilingual ? 50257 : 50256;
  while (bytes.size() < n) bytes.push_back(" w" + std::to_string(bytes.size()));
  return {std::move(bytes), dims, "test"};
}

}  // namespace wnpu::tests
