#include "models/text/vocabulary.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <set>

#include "models/base/error.h"
#include "models/base/utf8.h"
#include "models/text/byte_pair.h"

namespace wnpu::models {
namespace {

// Timestamps are steps of 20 ms (openai/whisper get_encoding: 1501 of them, 0.00 to 30.00).
constexpr int kTimestampStepMs = 20;

// "<|1.08|>"
std::string timestamp_text(TokenId steps) {
  const int ms = steps * kTimestampStepMs;
  std::array<char, 32> text = {};
  std::snprintf(text.data(), text.size(), "<|%d.%02d|>", ms / 1000, ms % 1000 / 10);
  return text.data();
}

// Symbols that non_speech_tokens suppresses where they are one token, alone or after a space.
constexpr std::array<std::string_view, 47> kSymbols = {
    "\"",  "#",  "(",  ")",   "*",   "+",   "/",   ":",  ";",   "<",  "=",  ">",
    "@",   "[",  "\\", "]",   "^",   "_",   "`",   "{",  "|",   "}",  "~",  "「",
    "」",  "『", "』", "<<",  ">>",  "<<<", ">>>", "--", "---", "-(", "-[", "('",
    "(\"", "((", "))", "(((", ")))", "[[",  "]]",  "{{", "}}",  "♪♪", "♪♪♪"};
// Musical signs: where one is several tokens, the first is suppressed; U+2640 to U+267F share it.
constexpr std::array<std::string_view, 7> kMusic = {"♩", "♪", "♫", "♬", "♭", "♮", "♯"};

// whisper.cpp's converter of 2022 wrote U+FFFD for bytes that are no text on their own
// (ggml-org/whisper.cpp issue 25); such files cannot be repaired.
constexpr const char* kLossy =
    ", whose bytes an old converter has lost (U+FFFD): convert the model again";

[[noreturn]] void fail(const std::string& path, const std::string& expected,
                       const std::string& found) {
  throw ModelError(path + ": vocabulary: expected " + expected + ", found " + found);
}

}  // namespace

Vocabulary::Vocabulary(std::vector<std::string> token_bytes, const Dims& dims,
                       const std::string& path)
    : ids_(std::move(token_bytes)),
      n_vocab_(dims.n_vocab),
      is_multilingual_(dims.is_multilingual()) {
  validate(dims, path);
  n_languages_ = dims.n_languages();
  const std::vector<std::string>& tokens = ids_.tokens();
  if (tokens.size() != dims.n_text_tokens()) {
    fail(path, std::to_string(dims.n_text_tokens()) + " text tokens",
         tokens.empty() ? "no tokenizer file" : std::to_string(tokens.size()));
  }
  eot_ = static_cast<TokenId>(tokens.size());
  if (const auto& same = ids_.same()) {
    const std::string& bytes = tokens[static_cast<std::size_t>(same->second)];
    fail(path, "different tokens",
         "equal ones at " + std::to_string(same->first) + " and " + std::to_string(same->second) +
             (bytes.find(kReplacement) == std::string::npos ? "" : kLossy));
  }
  for (int byte = 0; byte < 256; ++byte) {
    if (!ids_.find(std::string(1, static_cast<char>(byte)))) {
      fail(path, "a token for each byte", "none for " + std::to_string(byte));
    }
  }
}

std::optional<TokenId> Vocabulary::language_token(std::string_view code) const {
  const auto known = languages();
  const auto language = std::ranges::find(known, code, &Language::code);
  if (language == known.end()) return std::nullopt;
  return sot() + 1 + static_cast<TokenId>(language - known.begin());
}

std::string Vocabulary::decode(std::span<const TokenId> tokens) const {
  std::string text;
  for (const TokenId id : tokens) {
    if (id >= 0 && is_text(id)) text += ids_.tokens()[static_cast<std::size_t>(id)];
  }
  return text;
}

std::string Vocabulary::decode_with_timestamps(std::span<const TokenId> tokens) const {
  std::string text;
  for (const TokenId id : tokens) {
    if (id < 0) continue;
    text += is_text(id) ? ids_.tokens()[static_cast<std::size_t>(id)] : special_text(id);
  }
  return text;
}

std::vector<TokenId> Vocabulary::encode(std::string_view utf8) const {
  const std::string valid = repair_utf8(utf8);
  std::vector<TokenId> tokens;
  for (const std::string_view piece : pre_tokenize(valid)) encode_piece(piece, ids_, tokens);
  return tokens;
}

std::vector<TokenId> Vocabulary::non_speech_tokens() const {
  // Hyphens and quotes are suppressed at the beginning of a word only.
  std::set<TokenId> tokens = {encode(" -").front(), encode(" '").front()};
  const auto add = [&](const std::string& symbol, bool is_music) {
    const std::vector<TokenId> encoded = encode(symbol);
    if (encoded.size() == 1 || is_music) tokens.insert(encoded.front());
  };
  for (const std::string_view symbol : kSymbols) {
    add(std::string(symbol), false);
    add(" " + std::string(symbol), false);
  }
  for (const std::string_view symbol : kMusic) {
    add(std::string(symbol), true);
    add(" " + std::string(symbol), true);
  }
  return {tokens.begin(), tokens.end()};
}

// Names as in openai/whisper tokenizer.py get_encoding.
std::string Vocabulary::special_text(TokenId id) const {
  if (is_timestamp(id)) return timestamp_text(id - timestamp_begin());
  if (id == eot()) return "<|endoftext|>";
  if (id == sot()) return "<|startoftranscript|>";
  if (id < translate()) {
    const auto& language = languages()[static_cast<std::size_t>(id - sot() - 1)];
    return "<|" + std::string(language.code) + "|>";
  }
  constexpr std::array<const char*, 6> kTasks = {"<|translate|>", "<|transcribe|>",
                                                 "<|startoflm|>", "<|startofprev|>",
                                                 "<|nospeech|>",  "<|notimestamps|>"};
  return kTasks[static_cast<std::size_t>(id - translate())];
}

}  // namespace wnpu::models
