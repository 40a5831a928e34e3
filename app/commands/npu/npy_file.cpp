#include "app/commands/npu/npy_file.h"

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <limits>
#include <span>
#include <vector>

#include "app/options/exit_code.h"
#include "npu/tensor/tensor.h"

namespace wnpu::app {
namespace {

static_assert(std::endian::native == std::endian::little);

constexpr std::string_view kMagic = "\x93NUMPY";
constexpr std::size_t kLengthAt = 8;    // behind magic and version
constexpr std::size_t kAlignment = 64;  // of the values
constexpr std::size_t kMostSizes = 32;  // NumPy's own limit was that
constexpr std::string_view kSpaces = " \n";

template <typename T>
float number_at(const char* at) {
  T value;
  std::memcpy(&value, at, sizeof(T));
  return static_cast<float>(value);
}

// IEEE 754 binary16.
float half_at(const char* at) {
  std::uint16_t half;
  std::memcpy(&half, at, sizeof(half));
  const int exponent = half >> 10 & 31;
  const auto mantissa = static_cast<float>(half & 1023);
  float value =
      exponent == 0 ? std::ldexp(mantissa, -24) : std::ldexp(mantissa + 1024, exponent - 25);
  if (exponent == 31) {
    value = mantissa == 0 ? std::numeric_limits<float>::infinity()
                          : std::numeric_limits<float>::quiet_NaN();
  }
  return (half & 0x8000) != 0 ? -value : value;
}

struct NumberType {
  std::string_view name;  // in the header
  std::size_t bytes;
  float (*read)(const char*);
};
constexpr std::array kNumberTypes = {
    NumberType{"<f4", 4, number_at<float>},        NumberType{"<f2", 2, half_at},
    NumberType{"<f8", 8, number_at<double>},       NumberType{"|i1", 1, number_at<std::int8_t>},
    NumberType{"<i2", 2, number_at<std::int16_t>}, NumberType{"<i4", 4, number_at<std::int32_t>},
    NumberType{"<i8", 8, number_at<std::int64_t>}, NumberType{"|u1", 1, number_at<std::uint8_t>}};

// A file's parts, as far as they have been read.
class NpyReader {
 public:
  NpyReader(std::string_view bytes, const std::string& name) : bytes_(bytes), name_(name) {}

  Tensor read() {
    const std::string_view values = read_header();
    const NumberType& type = number_type();
    if (field("fortran_order") != "False") refuse("order", "C order", "Fortran's");
    Tensor tensor;
    tensor.shape = sizes();
    const std::size_t n = count(tensor.shape, values.size() / type.bytes);
    if (n * type.bytes != values.size()) {
      refuse("values", std::to_string(n) + " for " + npu::ops::shape_text(tensor.shape),
             std::to_string(values.size()) + " bytes of " + std::string(type.name));
    }
    tensor.values.resize(n);
    for (std::size_t i = 0; i < n; ++i) tensor.values[i] = type.read(&values[i * type.bytes]);
    return tensor;
  }

 private:
  [[noreturn]] void refuse(const std::string& what, const std::string& expected,
                           const std::string& found) const {
    throw UsageError(name_ + ": " + what + ": expected " + expected + ", found " + found);
  }

  // Gives what follows the header.
  std::string_view read_header() {
    if (!bytes_.starts_with(kMagic) || bytes_.size() < kLengthAt) {
      refuse("file", "NumPy's .npy", "another beginning");
    }
    const int version = static_cast<unsigned char>(bytes_[kMagic.size()]);
    if (version < 1 || version > 3) refuse("version", "1 to 3", std::to_string(version));
    const std::size_t length_bytes = version == 1 ? 2 : 4;
    const std::size_t begin = kLengthAt + length_bytes;
    std::uint32_t length = 0;
    if (bytes_.size() >= begin) std::memcpy(&length, &bytes_[kLengthAt], length_bytes);
    if (bytes_.size() < begin || bytes_.size() - begin < length) {
      refuse("header", std::to_string(length) + " bytes", "the end of the file");
    }
    header_ = bytes_.substr(begin, length);
    return bytes_.substr(begin + length);
  }

  // Value of a key in the header's dictionary: a word, a text's content, or a tuple's.
  std::string_view field(std::string_view key) const {
    const std::string quoted = "'" + std::string(key) + "':";
    std::size_t at = header_.find(quoted);
    if (at == std::string_view::npos) refuse("header", quoted, "none");
    at = header_.find_first_not_of(kSpaces, at + quoted.size());
    if (at == std::string_view::npos) refuse("header", "a value for " + quoted, "none");
    const char open = header_[at];
    const bool is_enclosed = open == '\'' || open == '(';
    const std::string_view close = open == '(' ? ")" : open == '\'' ? "'" : ",} ";
    if (is_enclosed) ++at;
    const std::size_t end = header_.find_first_of(close, at);
    if (end == std::string_view::npos) refuse("header", "the end of " + quoted, "none");
    return header_.substr(at, end - at);
  }

  const NumberType& number_type() const {
    const std::string_view found = field("descr");
    std::string known;
    for (const NumberType& type : kNumberTypes) {
      if (type.name == found) return type;
      known += (known.empty() ? "" : ", ") + std::string(type.name);
    }
    refuse("type", "one of " + known, std::string(found));
  }

  std::vector<std::size_t> sizes() const {
    std::vector<std::size_t> sizes;
    std::string_view left = field("shape");
    while (true) {
      left.remove_prefix(std::min(left.find_first_not_of(", "), left.size()));
      if (left.empty()) break;
      std::size_t size = 0;
      const auto [end, error] = std::from_chars(left.data(), left.data() + left.size(), size);
      if (error != std::errc()) refuse("shape", "whole numbers", std::string(field("shape")));
      sizes.push_back(size);
      left.remove_prefix(static_cast<std::size_t>(end - left.data()));
    }
    if (sizes.size() > kMostSizes) {
      refuse("shape", "at most " + std::to_string(kMostSizes), std::to_string(sizes.size()));
    }
    return sizes;
  }

  // The product of the sizes, which is refused before it is more than the file can have.
  std::size_t count(const std::vector<std::size_t>& sizes, std::size_t most) const {
    if (std::ranges::find(sizes, std::size_t{0}) != sizes.end()) return 0;
    std::size_t n = 1;
    for (const std::size_t size : sizes) {
      if (n > most / size) {
        refuse("values", npu::ops::shape_text(sizes), std::to_string(most));
      }
      n *= size;
    }
    return n;
  }

  std::string_view bytes_;
  const std::string& name_;
  std::string_view header_;
};

}  // namespace

Tensor parse_npy(std::string_view bytes, const std::string& name) {
  return NpyReader(bytes, name).read();
}

Tensor read_npy(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  const std::string bytes((std::istreambuf_iterator<char>(file)), {});
  if (!file.is_open() || file.bad()) {
    throw UsageError(path.string() + ": expected a file that can be read");
  }
  return parse_npy(bytes, path.string());
}

std::string npy_bytes(const Tensor& tensor) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (";
  for (const std::size_t size : tensor.shape) {
    header += std::to_string(size);
    header += ", ";
  }
  header += "), }";
  const std::size_t before = kLengthAt + 2;
  const std::size_t whole = (before + header.size() + 1 + kAlignment - 1) / kAlignment * kAlignment;
  header.append(whole - before - header.size() - 1, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += '\x01';
  bytes += '\x00';
  bytes += static_cast<char>(header.size() & 255);
  bytes += static_cast<char>(header.size() >> 8);
  bytes += header;
  const auto values = std::as_bytes(std::span(tensor.values));
  bytes.append(reinterpret_cast<const char*>(values.data()), values.size());
  return bytes;
}

}  // namespace wnpu::app
