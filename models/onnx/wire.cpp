#include "models/onnx/wire.h"

namespace wnpu::models {
namespace {

enum class WireKind : std::uint8_t { varint = 0, bytes = 2, fixed32 = 5 };

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

}  // namespace wnpu::models
