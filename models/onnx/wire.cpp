#include "models/onnx/wire.h"

#include <bit>
#include <cstring>

#include "models/base/error.h"
#include "models/base/mapped_file.h"

namespace wnpu::models {
namespace {

constexpr unsigned kKindBits = 3;   // of a tag, below the field's number
constexpr unsigned kDigitBits = 7;  // of a varint's byte, below the bit that says "more"
constexpr unsigned kMoreBit = 0x80;

}  // namespace

void WireWriter::varint(std::uint64_t value) {
  while (value >= kMoreBit) {
    text_ += static_cast<char>((value & (kMoreBit - 1)) | kMoreBit);
    value >>= kDigitBits;
  }
  text_ += static_cast<char>(value);
}

void WireWriter::number(std::uint32_t field, std::uint64_t value) {
  varint(std::uint64_t{field} << kKindBits | static_cast<unsigned>(WireKind::varint));
  varint(value);
}

void WireWriter::real(std::uint32_t field, float value) {
  varint(std::uint64_t{field} << kKindBits | static_cast<unsigned>(WireKind::fixed32));
  text_.append(reinterpret_cast<const char*>(&value), sizeof(value));
}

void WireWriter::length(std::uint32_t field, std::uint64_t size) {
  varint(std::uint64_t{field} << kKindBits | static_cast<unsigned>(WireKind::bytes));
  varint(size);
}

void WireWriter::bytes(std::uint32_t field, std::string_view value) {
  length(field, value.size());
  text_ += value;
}

std::string_view WireField::text() const { return as_text(bytes); }

void WireReader::fail(std::string_view expected) const {
  throw ModelError(std::string(path_) + ": expected " + std::string(expected) +
                   " of an ONNX model (Protocol Buffers), found " + std::to_string(rest_.size()) +
                   " bytes that are none");
}

std::uint64_t WireReader::varint() {
  constexpr unsigned kLongest = 10;  // bytes of 64 bits
  std::uint64_t value = 0;
  for (unsigned i = 0; i < kLongest && i < rest_.size(); ++i) {
    const auto byte = std::to_integer<std::uint64_t>(rest_[i]);
    value |= (byte & (kMoreBit - 1)) << (i * kDigitBits);
    if ((byte & kMoreBit) != 0) continue;
    rest_ = rest_.subspan(i + 1);
    return value;
  }
  fail("a number");
}

std::span<const std::byte> WireReader::take(std::uint64_t size) {
  if (size > rest_.size()) fail("a field of " + std::to_string(size) + " bytes");
  const auto taken = rest_.first(static_cast<std::size_t>(size));
  rest_ = rest_.subspan(taken.size());
  return taken;
}

std::optional<WireField> WireReader::next() {
  if (rest_.empty()) return std::nullopt;
  const std::uint64_t tag = varint();
  if (tag >> kKindBits > UINT32_MAX || tag >> kKindBits == 0) fail("a field's number");
  WireField field{.number = static_cast<std::uint32_t>(tag >> kKindBits),
                  .kind = static_cast<WireKind>(tag & ((1U << kKindBits) - 1)),
                  .value = 0,
                  .bytes = {}};
  switch (field.kind) {
    case WireKind::varint:
      field.value = varint();
      break;
    case WireKind::fixed64:
      std::memcpy(&field.value, take(sizeof(std::uint64_t)).data(), sizeof(std::uint64_t));
      break;
    case WireKind::fixed32:
      std::memcpy(&field.value, take(sizeof(std::uint32_t)).data(), sizeof(std::uint32_t));
      break;
    case WireKind::bytes:
      field.bytes = take(varint());
      break;
    default:  // groups, which ONNX has none of
      fail("a field");
  }
  return field;
}

std::optional<std::uint64_t> WireReader::next_packed() {
  if (rest_.empty()) return std::nullopt;
  return varint();
}

}  // namespace wnpu::models
