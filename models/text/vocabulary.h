// Token ids <-> text: byte-level BPE, special tokens, languages, suppression lists.
// Reference: openai/whisper tokenizer.py.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "models/base/dims.h"
#include "models/base/stages.h"
#include "models/text/token_ids.h"

namespace wnpu::models {

struct Language {
  std::string_view code;  // "en"
  std::string_view name;  // "english"
};

// All languages of the 100-language vocabulary, in token order; older models have the first 99.
std::span<const Language> all_languages();
// Accepts a code, an English name or one of openai's aliases ("Castilian" -> "es"), another code of
// the language ("iw" -> "he") and tags of BCP 47 ("zh-CN", "pt_BR"), in any case.
std::optional<std::string_view> find_language(std::string_view text);
// Whether find_language() takes a text that is neither Whisper's code nor a name: a tag, or another
// code.
bool is_other_code(std::string_view text);
// Whether a language is written without spaces between words (openai/whisper tokenizer.py,
// split_to_word_tokens).
bool is_unspaced(std::string_view language_code);

class Vocabulary {
 public:
  // token_bytes: the text tokens' bytes by id, in BPE rank order (id = rank).
  // Throws ModelError where their number does not go with dims.n_vocab.
  Vocabulary(std::vector<std::string> token_bytes, const Dims& dims, const std::string& path);

  bool is_multilingual() const { return is_multilingual_; }
  std::size_t size() const { return n_vocab_; }

  // Special tokens; ids follow from the vocabulary's size (openai/whisper get_encoding).
  TokenId eot() const { return eot_; }
  TokenId sot() const { return eot_ + 1; }
  TokenId translate() const { return sot() + static_cast<TokenId>(n_languages_) + 1; }
  TokenId transcribe() const { return translate() + 1; }
  TokenId sot_lm() const { return translate() + 2; }
  TokenId sot_prev() const { return translate() + 3; }
  TokenId no_speech() const { return translate() + 4; }
  TokenId no_timestamps() const { return translate() + 5; }
  TokenId timestamp_begin() const { return translate() + 6; }
  bool is_timestamp(TokenId id) const { return id >= timestamp_begin(); }
  bool is_text(TokenId id) const { return id < eot_; }
  // Languages of this model in token order, and the token of one.
  std::span<const Language> languages() const { return all_languages().first(n_languages_); }
  std::optional<TokenId> language_token(std::string_view code) const;

  // Bytes of text tokens, in order; special tokens and timestamps are left out. The result may be
  // cut UTF-8 when a character's tokens are cut.
  std::string decode(std::span<const TokenId> tokens) const;
  // Text with special tokens and timestamps spelled out as "<|en|>", "<|1.08|>" (openai/whisper
  // decode_with_timestamps).
  std::string decode_with_timestamps(std::span<const TokenId> tokens) const;
  // Byte-level BPE with GPT-2's pre-tokeniser; special tokens are never produced.
  std::vector<TokenId> encode(std::string_view utf8) const;
  // openai/whisper tokenizer.py non_speech_tokens: brackets, music signs and the like. Sorted.
  std::vector<TokenId> non_speech_tokens() const;

 private:
  std::string special_text(TokenId id) const;

  TokenIds ids_;  // of the text tokens
  std::size_t n_vocab_ = 0;
  std::size_t n_languages_ = 0;
  bool is_multilingual_ = false;
  TokenId eot_ = 0;
};

}  // namespace wnpu::models
