#include "bench/decimal.h"

#include <algorithm>
#include <utility>

#include "bench/unicode_text.h"

namespace wnpu::bench {
namespace {

// a + b on decimal digits.
std::string sum(std::string a, std::string b) {
  const std::size_t width = std::max(a.size(), b.size()) + 1;
  a.insert(0, width - a.size(), '0');
  b.insert(0, width - b.size(), '0');
  int carry = 0;
  for (std::size_t i = width; i-- > 0;) {
    const int digit = (a[i] - '0') + (b[i] - '0') + carry;
    a[i] = static_cast<char>('0' + digit % 10);
    carry = digit / 10;
  }
  return a;
}

}  // namespace

Decimal::Decimal(std::string digits) : digits_(std::move(digits)) {
  digits_.erase(0, std::min(digits_.find_first_not_of('0'), digits_.size()));
  if (digits_.empty()) {
    digits_ = "0";
  }
}

std::optional<Decimal> Decimal::scaled(std::u32string_view text, int exponent) {
  std::string whole;
  std::string fraction;
  bool after_point = false;
  for (const char32_t c : text) {
    if (is_decimal(c)) {
      (after_point ? fraction : whole).push_back(static_cast<char>('0' + decimal_value(c)));
    } else if (c == U'.' && !after_point) {
      after_point = true;
    } else {
      return std::nullopt;
    }
  }
  if (whole.empty() && fraction.empty()) {
    return std::nullopt;
  }
  const auto shift = static_cast<std::size_t>(exponent);
  if (fraction.size() > shift && fraction.find_first_not_of('0', shift) != std::string::npos) {
    return std::nullopt;
  }
  fraction.resize(shift, '0');
  return Decimal(whole + fraction);
}

bool Decimal::ends_in_zeros(std::size_t count) const {
  const std::size_t tail = digits_.size() > count ? digits_.size() - count : 0;
  return is_zero() ||
         (digits_.size() > count && digits_.find_first_not_of('0', tail) == std::string::npos);
}

Decimal Decimal::plus_into_zeros(unsigned addend) const {
  return Decimal(sum(digits_, std::to_string(addend)));
}

Decimal Decimal::multiply_last_three(int exponent) const {
  const std::size_t head = digits_.size() > 3 ? digits_.size() - 3 : 0;
  const std::string multiple =
      digits_.substr(head) + std::string(static_cast<std::size_t>(exponent), '0');
  return Decimal(sum(digits_.substr(0, head) + "000", multiple));
}

}  // namespace wnpu::bench
