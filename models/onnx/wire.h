// Protocol Buffers' wire format, as far as ONNX needs it: fields of numbers and bytes, one after
// another. https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wnpu::models {

// Builds one message.
class WireWriter {
 public:
  void number(std::uint32_t field, std::uint64_t value);
  void real(std::uint32_t field, float value);
  void bytes(std::uint32_t field, std::string_view value);
  void message(std::uint32_t field, const WireWriter& value) { bytes(field, value.text()); }
  // Tag and length of a field whose `size` bytes the caller writes behind them.
  void length(std::uint32_t field, std::uint64_t size);

  const std::string& text() const { return text_; }

 private:
  void varint(std::uint64_t value);

  std::string text_;
};

enum class WireKind : std::uint8_t { varint = 0, fixed64 = 1, bytes = 2, fixed32 = 5 };

struct WireField {
  std::uint32_t number = 0;
  WireKind kind = WireKind::varint;
  std::uint64_t value = 0;           // of a number: a varint, or the bits of fixed32 and fixed64
  std::span<const std::byte> bytes;  // of WireKind::bytes: within the message

  std::string_view text() const;
};

// Reads the fields of one message that nobody has checked yet.
class WireReader {
 public:
  // `path` goes into the messages.
  WireReader(std::span<const std::byte> message, std::string_view path)
      : rest_(message), path_(path) {}

  // The next field; nothing at the end. Throws ModelError where the bytes are no message.
  std::optional<WireField> next();
  // The next varint of packed numbers; nothing at the end.
  std::optional<std::uint64_t> next_packed();

 private:
  std::uint64_t varint();
  std::span<const std::byte> take(std::uint64_t size);
  [[noreturn]] void fail(std::string_view expected) const;

  std::span<const std::byte> rest_;
  std::string_view path_;
};

}  // namespace wnpu::models
