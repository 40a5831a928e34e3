// Reads a sequence of words and writes its spoken numbers in digits: "one hundred and one" ->
// "101". The state machine of openai/whisper's EnglishNumberNormalizer.process_words
// (whisper/normalizers/english.py, release 20250625), rule by rule.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "bench/decimal.h"
#include "bench/number_words.h"

namespace wnpu::bench {

class NumberReader {
 public:
  // None of the words is empty.
  std::vector<std::u32string> read(std::span<const std::u32string> words);

 private:
  // The number so far: one to calculate with, or digits and points that are only strung together.
  using Value = std::variant<Decimal, std::u32string>;

  // A word beside the present one.
  struct Neighbour {
    std::u32string_view text;
    const NumberWord* word = nullptr;
    bool is_arabic = false;  // 12 or 3.5, without sign

    bool is(WordKind kind) const { return word != nullptr && word->kind == kind; }
    bool may_be_number() const { return word != nullptr || is_arabic; }
  };
  static Neighbour look_at(std::u32string_view word);

  void read_word(const std::u32string& current);
  void read_arabic(const std::u32string& current);
  void read_number_word(const std::u32string& current, const NumberWord& word);
  void read_preceding_prefix(const std::u32string& current, const NumberWord& word);
  void read_per(const std::u32string& current);
  void read_special(const std::u32string& current, const NumberWord& word);
  void read_repeat(const std::u32string& current, unsigned count);

  Value with_ones(unsigned ones) const;
  Value with_tens(unsigned tens) const;
  Value with_multiplier(int exponent);  // emits what cannot be multiplied

  static std::u32string text(const Value& value);
  std::u32string text_or_empty() const;  // empty also for 0

  void emit(const std::u32string& result);  // with the prefix; ends the number
  void emit_value();                        // the number so far, if there is one
  void emit_value_then(const std::u32string& word);

  Neighbour previous_;
  Neighbour next_;
  std::optional<Value> value_;
  std::u32string prefix_;  // currency or sign that will stand before the number
  bool skip_next_ = false;
  std::vector<std::u32string> output_;
};

}  // namespace wnpu::bench
