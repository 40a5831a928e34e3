#include "decoder/search/decode_options.h"

#include <algorithm>
#include <new>
#include <span>
#include <stdexcept>

#include <zlib.h>

namespace wnpu::decoder {
namespace {

using models::TokenId;
using models::Vocabulary;

std::span<const TokenId> last(std::span<const TokenId> tokens, std::size_t n) {
  return tokens.last(std::min(n, tokens.size()));
}

}  // namespace

std::size_t n_sequences(const DecodeOptions& options) {
  return options.temperature > 0 ? options.best_of.value_or(1) : options.beam_size.value_or(1);
}

std::vector<TokenId> sot_sequence(const Vocabulary& vocabulary, const DecodeOptions& options) {
  std::vector<TokenId> tokens = {vocabulary.sot()};
  if (vocabulary.is_multilingual()) {
    const auto language = vocabulary.language_token(options.language);
    if (!language) {
      throw std::invalid_argument("language: the model does not know \"" + options.language + "\"");
    }
    tokens.push_back(*language);
    tokens.push_back(options.task == Task::translate ? vocabulary.translate()
                                                     : vocabulary.transcribe());
  } else if (options.language != "en" || options.task == Task::translate) {
    throw std::invalid_argument(
        "language: an English-only model transcribes English and nothing else, asked for \"" +
        options.language + "\"");
  }
  if (options.without_timestamps) tokens.push_back(vocabulary.no_timestamps());
  return tokens;
}

// openai/whisper decoding.py _get_initial_tokens.
std::vector<TokenId> initial_tokens(const models::Dims& dims, const Vocabulary& vocabulary,
                                    const DecodeOptions& options) {
  std::vector<TokenId> tokens;
  const std::size_t half = dims.n_text_ctx / 2;
  const auto sot = sot_sequence(vocabulary, options);
  const std::size_t room = options.sample_len ? half - std::min(half, *options.sample_len) : half;
  const auto prefix = last(options.prefix, room);
  if (!options.prompt.empty()) {
    tokens.push_back(vocabulary.sot_prev());
    // openai/whisper lets a long prompt and a long prefix together overflow the context.
    const std::size_t taken = 1 + sot.size() + prefix.size();
    const auto prompt = last(options.prompt, std::min(half - 1, dims.n_text_ctx - 1 - taken));
    tokens.insert(tokens.end(), prompt.begin(), prompt.end());
  }
  tokens.insert(tokens.end(), sot.begin(), sot.end());
  tokens.insert(tokens.end(), prefix.begin(), prefix.end());
  return tokens;
}

double compression_ratio(const std::string& text) {
  uLongf size = compressBound(static_cast<uLong>(text.size()));
  std::vector<Bytef> out(size);
  std::vector<Bytef> in(text.begin(), text.end());
  if (compress2(out.data(), &size, in.data(), static_cast<uLong>(in.size()),
                Z_DEFAULT_COMPRESSION) != Z_OK) {
    throw std::bad_alloc();  // the only way in which compress2 can fail with a buffer of this size
  }
  return static_cast<double>(text.size()) / static_cast<double>(size);
}

}  // namespace wnpu::decoder
