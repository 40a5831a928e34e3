// The numbers of the English number normaliser: natural numbers of any length, as decimal digits
// without leading zeros, so that "decillion" and long digit strings are exact as in Python.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace wnpu::bench {

class Decimal {
 public:
  explicit Decimal(std::uint64_t value) : digits_(std::to_string(value)) {}

  // text: digits of any script with at most one point: "12", "2.5", "3.", ".5", times 10^exponent.
  // nullopt where that is no number ("." or "1.2.3"), or has a fractional part left.
  static std::optional<Decimal> scaled(std::u32string_view text, int exponent);

  bool is_zero() const { return digits_ == "0"; }
  bool ends_in_zeros(std::size_t count) const;  // divisible by 10^count

  // For a number divisible by 10 (100): adds what fits into its zeros.
  Decimal plus_into_zeros(unsigned addend) const;
  // The last three digits become a multiple: 2 005 with exponent 3 gives 2 000 + 5 000.
  Decimal multiply_last_three(int exponent) const;

  std::u32string text() const { return {digits_.begin(), digits_.end()}; }

 private:
  explicit Decimal(std::string digits);  // strips leading zeros

  std::string digits_;
};

}  // namespace wnpu::bench
