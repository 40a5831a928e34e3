#include "tests/nano/nano_codec.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <limits>

namespace wnpu::tests {
namespace {

using models::DType;

constexpr std::size_t kBlock = 32;

template <typename T>
T number_at(std::string_view bytes, std::size_t offset) {
  T value = {};
  std::memcpy(&value, bytes.data() + offset, sizeof(T));
  return value;
}

// Parameters of a block type: bits of a quantum, whether there is a minimum (else quanta have an
// offset), and how many bytes a block takes.
struct BlockKind {
  int bits;
  bool has_minimum;
  std::size_t bytes() const {
    return (has_minimum ? 4 : 2) + kBlock * static_cast<std::size_t>(bits) / 8;
  }
};

BlockKind block_kind(DType dtype) {
  switch (dtype) {
    case DType::q4_0:
      return {4, false};
    case DType::q4_1:
      return {4, true};
    case DType::q5_0:
      return {5, false};
    case DType::q5_1:
      return {5, true};
    default:
      return {8, false};
  }
}

// 4 low bits of each element, two elements a byte (i and i + 16); the fifth bits come before them,
// as 32 bits in the order of the elements. 8 bits: one signed byte an element.
std::string pack(const std::array<int, kBlock>& quanta, int bits) {
  std::string packed;
  if (bits == 8) {
    for (const int q : quanta) packed += static_cast<char>(q);
    return packed;
  }
  if (bits == 5) {
    std::uint32_t fifth = 0;
    for (std::size_t i = 0; i < kBlock; ++i) fifth |= (quanta[i] >= 16 ? 1U : 0U) << i;
    packed += bytes_of(fifth);
  }
  for (std::size_t i = 0; i < kBlock / 2; ++i) {
    packed += static_cast<char>(quanta[i] % 16 + 16 * (quanta[i + kBlock / 2] % 16));
  }
  return packed;
}

int unpack(std::string_view packed, int bits, std::size_t i) {
  if (bits == 8) return number_at<std::int8_t>(packed, i);
  const std::size_t nibbles = bits == 5 ? 4 : 0;
  const int pair = number_at<std::uint8_t>(packed, nibbles + i % 16);
  const int low = i < 16 ? pair % 16 : pair / 16;
  if (bits == 4) return low;
  const int eight = number_at<std::uint8_t>(packed, i / 8);
  return low + 16 * (eight / (1 << i % 8) % 2);
}

std::string encode_block(BlockKind kind, std::span<const float> values) {
  const auto [low, high] = std::ranges::minmax(values);
  const int levels = 1 << kind.bits;
  const double offset = kind.has_minimum || kind.bits == 8 ? 0 : levels / 2.0;
  const double range = std::max(std::abs(double{low}), std::abs(double{high}));
  const double scale = from_f16(
      to_f16(kind.has_minimum ? (double{high} - low) / (levels - 1) : range / (levels / 2.0 - 1)));
  const double minimum = kind.has_minimum ? from_f16(to_f16(low)) : 0;
  const int least = kind.bits == 8 ? -127 : 0;
  const int most = kind.bits == 8 ? 127 : levels - 1;
  std::array<int, kBlock> quanta = {};
  for (std::size_t i = 0; i < kBlock; ++i) {
    const double steps = scale == 0 ? 0 : (values[i] - minimum) / scale;
    quanta[i] = std::clamp(static_cast<int>(std::lround(steps + offset)), least, most);
  }
  std::string block = bytes_of(to_f16(scale));
  if (kind.has_minimum) block += bytes_of(to_f16(minimum));
  return block + pack(quanta, kind.bits);
}

void decode_block(BlockKind kind, std::string_view block, std::vector<float>& out) {
  const double scale = from_f16(number_at<std::uint16_t>(block, 0));
  const double minimum = kind.has_minimum ? from_f16(number_at<std::uint16_t>(block, 2)) : 0;
  const int offset = kind.has_minimum || kind.bits == 8 ? 0 : 1 << (kind.bits - 1);
  const std::string_view packed = block.substr(kind.has_minimum ? 4 : 2);
  for (std::size_t i = 0; i < kBlock; ++i) {
    out.push_back(static_cast<float>((unpack(packed, kind.bits, i) - offset) * scale + minimum));
  }
}

std::uint16_t to_bf16(float value) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  return static_cast<std::uint16_t>((bits + 0x7fffU + (bits >> 16U & 1U)) >> 16U);
}

}  // namespace

std::uint16_t to_f16(double value) {
  const std::uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  const double size = std::abs(value);
  if (size == 0) return sign;
  // Units of the last place: 2^-24 for subnormal numbers, else 10 bits below the leading one.
  const int exponent = std::max(std::ilogb(size), -14);
  const auto units = static_cast<int>(std::nearbyint(std::ldexp(size, 10 - exponent)));
  const int bits = (exponent + 14) * 1024 + units;  // a carry moves on to the next exponent
  return static_cast<std::uint16_t>(sign | std::min(bits, 0x7c00));
}

double from_f16(std::uint16_t bits) {
  const int exponent = bits / 1024 % 32;
  const int fraction = bits % 1024;
  const double size =
      exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(1024 + fraction, exponent - 25);
  return bits >= 0x8000 ? -size : size;
}

std::string encode(DType dtype, std::span<const float> values) {
  std::string bytes;
  if (dtype == DType::f32) {
    bytes.assign(reinterpret_cast<const char*>(values.data()), values.size_bytes());
  } else if (dtype == DType::f16) {
    for (const float value : values) bytes += bytes_of(to_f16(value));
  } else if (dtype == DType::bf16) {
    for (const float value : values) bytes += bytes_of(to_bf16(value));
  } else {
    for (std::size_t i = 0; i < values.size(); i += kBlock) {
      bytes += encode_block(block_kind(dtype), values.subspan(i, kBlock));
    }
  }
  return bytes;
}

std::vector<float> decode(DType dtype, std::string_view bytes) {
  std::vector<float> values;
  if (dtype == DType::f32) {
    for (std::size_t i = 0; i < bytes.size(); i += 4) values.push_back(number_at<float>(bytes, i));
  } else if (dtype == DType::f16) {
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      values.push_back(static_cast<float>(from_f16(number_at<std::uint16_t>(bytes, i))));
    }
  } else if (dtype == DType::bf16) {
    for (std::size_t i = 0; i < bytes.size(); i += 2) {
      values.push_back(number_at<float>(std::string(2, '\0').append(bytes.substr(i, 2)), 0));
    }
  } else {
    const BlockKind kind = block_kind(dtype);
    for (std::size_t i = 0; i < bytes.size(); i += kind.bytes()) {
      decode_block(kind, bytes.substr(i, kind.bytes()), values);
    }
  }
  return values;
}

Int8Rows encode_int8(std::span<const float> values, std::size_t rows) {
  Int8Rows encoded;
  const std::size_t cols = values.size() / rows;
  for (std::size_t r = 0; r < rows; ++r) {
    const auto row = values.subspan(r * cols, cols);
    float most = 0;
    for (const float value : row) most = std::max(most, std::abs(value));
    const float scale = 127.0F / (most == 0 ? 127.0F : most);
    encoded.scales.push_back(scale);
    for (const float value : row) encoded.bytes += static_cast<char>(std::lrint(value * scale));
  }
  return encoded;
}

std::vector<float> decode_int8(const Int8Rows& rows) {
  std::vector<float> values;
  const std::size_t cols = rows.bytes.size() / rows.scales.size();
  for (std::size_t i = 0; i < rows.bytes.size(); ++i) {
    const double quantum = static_cast<std::int8_t>(rows.bytes[i]);
    values.push_back(static_cast<float>(quantum / rows.scales[i / cols]));
  }
  return values;
}

std::string gpt2_spelling(std::string_view bytes) {
  std::string spelled;
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    // Printable Latin-1 characters stand for themselves; the others follow from U+0100 on.
    const auto is_printable = [](int b) {
      return (b > 0x20 && b < 0x7f) || (b > 0xa0 && b < 0x100 && b != 0xad);
    };
    int character = byte;
    if (!is_printable(byte)) {
      character = 0x100;
      for (int other = 0; other < byte; ++other) character += is_printable(other) ? 0 : 1;
    }
    if (character >= 0x80) spelled += static_cast<char>(0xc0 + character / 64);
    spelled += static_cast<char>(character >= 0x80 ? 0x80 + character % 64 : character);
  }
  return spelled;
}

}  // namespace wnpu::tests
