// Protocol Buffers' wire format, as far as ONNX needs it: fields of numbers and bytes, one after
// another. https://protobuf.dev/programming-guides/encoding/
#pragma once

#include <cstdint>
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

}  // namespace wnpu::models
