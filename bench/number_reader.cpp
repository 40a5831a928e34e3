#include "bench/number_reader.h"

#include <utility>

#include "bench/unicode_text.h"

namespace wnpu::bench {
namespace {

bool is_currency(char32_t c) { return c == U'$' || c == U'¢' || c == U'€' || c == U'£'; }

// 12 or 3.5, in digits of any script.
bool is_arabic_number(std::u32string_view word) {
  bool after_point = false;
  bool after_digit = false;
  for (const char32_t c : word) {
    if (is_decimal(c)) {
      after_digit = true;
    } else if (c == U'.' && after_digit && !after_point) {
      after_point = true;
      after_digit = false;
    } else {
      return false;
    }
  }
  return after_digit;
}

std::u32string decimal_text(unsigned value) { return Decimal(value).text(); }

}  // namespace

NumberReader::Neighbour NumberReader::look_at(std::u32string_view word) {
  return {word, find_number_word(word), is_arabic_number(word)};
}

std::vector<std::u32string> NumberReader::read(std::span<const std::u32string> words) {
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (skip_next_) {
      skip_next_ = false;
      continue;
    }
    previous_ = i > 0 ? look_at(words[i - 1]) : Neighbour{};
    next_ = i + 1 < words.size() ? look_at(words[i + 1]) : Neighbour{};
    read_word(words[i]);
  }
  emit_value();
  return std::move(output_);
}

void NumberReader::read_word(const std::u32string& current) {
  const std::u32string_view unsigned_part =
      std::u32string_view(current).substr(is_currency(current[0]) ? 1 : 0);
  if (is_arabic_number(unsigned_part)) {
    read_arabic(current);
  } else if (const NumberWord* word = find_number_word(current); word != nullptr) {
    read_number_word(current, *word);
  } else {
    emit_value_then(current);
  }
}

void NumberReader::read_arabic(const std::u32string& current) {
  if (value_) {
    auto* digits = std::get_if<std::u32string>(&*value_);
    if (digits != nullptr && digits->back() == U'.') {
      *digits += current;  // decimals, or the next part of an IP address
      return;
    }
    emit_value();
  }
  std::u32string digits = current;
  if (is_currency(current[0])) {
    prefix_ = current.substr(0, 1);
    digits.erase(0, 1);
  }
  if (const auto whole = Decimal::scaled(digits, 0)) {
    value_ = *whole;
  } else {
    value_ = digits;
  }
}

void NumberReader::read_number_word(const std::u32string& current, const NumberWord& word) {
  const std::u32string suffix(word.suffix);
  switch (word.kind) {
    case WordKind::kZero:
      value_ = text_or_empty() + U"0";
      break;
    case WordKind::kOnes:
      value_ = with_ones(word.value);
      break;
    case WordKind::kOnesSuffixed:
      emit(text(with_ones(word.value)) + suffix);
      break;
    case WordKind::kTens:
      value_ = with_tens(word.value);
      break;
    case WordKind::kTensSuffixed:
      emit(text(with_tens(word.value)) + suffix);
      break;
    case WordKind::kMultiplier:
      value_ = with_multiplier(static_cast<int>(word.value));
      break;
    case WordKind::kMultiplierSuffixed: {
      const Value product = with_multiplier(static_cast<int>(word.value));
      emit(text(product) + suffix);
      break;
    }
    case WordKind::kPrecedingPrefix:
      read_preceding_prefix(current, word);
      break;
    case WordKind::kFollowingPrefix:
      if (value_) {
        prefix_ = suffix;
        emit_value();
      } else {
        emit(current);
      }
      break;
    case WordKind::kPer:
      read_per(current);
      break;
    case WordKind::kPercent:
      emit(value_ ? text(*value_) + U"%" : current);
      break;
    default:
      read_special(current, word);
  }
}

void NumberReader::read_preceding_prefix(const std::u32string& current, const NumberWord& word) {
  emit_value();
  if (next_.may_be_number()) {
    prefix_ = word.suffix;
  } else {
    emit(current);
  }
}

void NumberReader::read_per(const std::u32string& current) {
  if (value_ && next_.text == U"cent") {
    emit(text(*value_) + U"%");
    skip_next_ = true;
  } else {
    emit_value_then(current);
  }
}

void NumberReader::read_special(const std::u32string& current, const NumberWord& word) {
  if (!next_.may_be_number()) {
    emit_value_then(current);
  } else if (word.kind == WordKind::kAnd) {
    if (!previous_.is(WordKind::kMultiplier)) {  // dropped in "hundred and one"
      emit_value_then(current);
    }
  } else if (word.kind == WordKind::kRepeat) {
    read_repeat(current, word.value);
  } else if (next_.is(WordKind::kOnes) || next_.is(WordKind::kTens) || next_.is(WordKind::kZero) ||
             next_.is_arabic) {
    value_ = text_or_empty() + U".";  // "point"; before any other number word it is dropped
  }
}

void NumberReader::read_repeat(const std::u32string& current, unsigned count) {
  if (!next_.is(WordKind::kOnes) && !next_.is(WordKind::kZero)) {
    emit_value_then(current);
    return;
  }
  std::u32string digits = text_or_empty();
  for (unsigned i = 0; i < count; ++i) {
    digits += decimal_text(next_.word->value);
  }
  value_ = digits;
  skip_next_ = true;
}

NumberReader::Value NumberReader::with_ones(unsigned ones) const {
  if (!value_) {
    return Decimal(ones);
  }
  const auto* number = std::get_if<Decimal>(&*value_);
  std::u32string digits = text(*value_);
  if (number == nullptr || previous_.is(WordKind::kOnes)) {
    if (previous_.is(WordKind::kTens) && ones < 10) {
      digits.pop_back();  // the zero of "twenty"
    }
    return digits + decimal_text(ones);
  }
  if (number->ends_in_zeros(ones < 10 ? 1 : 2)) {
    return number->plus_into_zeros(ones);
  }
  return digits + decimal_text(ones);
}

NumberReader::Value NumberReader::with_tens(unsigned tens) const {
  if (!value_) {
    return Decimal(tens);
  }
  const auto* number = std::get_if<Decimal>(&*value_);
  if (number != nullptr && number->ends_in_zeros(2)) {
    return number->plus_into_zeros(tens);
  }
  return text(*value_) + decimal_text(tens);
}

NumberReader::Value NumberReader::with_multiplier(int exponent) {
  if (value_) {
    const auto* number = std::get_if<Decimal>(&*value_);
    if (number != nullptr) {
      return number->multiply_last_three(exponent);
    }
    if (const auto product = Decimal::scaled(text(*value_), exponent)) {
      return *product;
    }
    emit_value();
  }
  return *Decimal::scaled(U"1", exponent);
}

std::u32string NumberReader::text(const Value& value) {
  const auto* number = std::get_if<Decimal>(&value);
  return number != nullptr ? number->text() : std::get<std::u32string>(value);
}

std::u32string NumberReader::text_or_empty() const {
  if (!value_) {
    return {};
  }
  const auto* number = std::get_if<Decimal>(&*value_);
  return number != nullptr && number->is_zero() ? std::u32string{} : text(*value_);
}

void NumberReader::emit(const std::u32string& result) {
  output_.push_back(prefix_ + result);
  value_.reset();
  prefix_.clear();
}

void NumberReader::emit_value() {
  if (value_) {
    emit(text(*value_));
  }
}

void NumberReader::emit_value_then(const std::u32string& word) {
  emit_value();
  emit(word);
}

}  // namespace wnpu::bench
