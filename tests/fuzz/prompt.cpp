// Text as --initial-prompt takes it: to tokens and back, which gives the same text (U+FFFD for what
// is no UTF-8).
#include <string>
#include <vector>

#include "models/base/utf8.h"
#include "models/text/vocabulary.h"
#include "tests/fuzz/input_folder.h"

namespace {

using namespace wnpu;

models::Vocabulary make_vocabulary() {
  models::Dims dims;
  dims = {.n_mels = 80,
          .n_audio_ctx = 1500,
          .n_audio_state = 2,
          .n_audio_head = 1,
          .n_audio_layer = 1,
          .n_vocab = 51864,
          .n_text_ctx = 448,
          .n_text_state = 2,
          .n_text_head = 1,
          .n_text_layer = 1};
  // All bytes, then pairs of them, so that merges happen.
  std::vector<std::string> tokens;
  for (std::size_t i = 0; i < dims.n_text_tokens(); ++i) {
    const std::size_t pair = i - 256;
    std::string token(1, static_cast<char>(i < 256 ? i : pair / 256));
    if (i >= 256) token += static_cast<char>(pair % 256);
    tokens.push_back(token);
  }
  return {std::move(tokens), dims, "made here"};
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const models::Vocabulary vocabulary = make_vocabulary();
  const std::string_view text = fuzz::as_text(data, size);
  if (vocabulary.decode(vocabulary.encode(text)) != models::repair_utf8(text)) __builtin_trap();
  return 0;
}
