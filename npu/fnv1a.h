// FNV-1a, 64 bit (http://www.isthe.com/chongo/tech/comp/fnv): the hash of designs and of results
// that are kept.
#pragma once

#include <cstdint>
#include <string_view>

namespace wnpu::npu {

class Fnv1a {
 public:
  // The bytes alone: neither their number nor an end.
  Fnv1a& add_bytes(std::string_view bytes) {
    for (const char byte : bytes) add_byte(static_cast<std::uint8_t>(byte));
    return *this;
  }
  // 8 bytes, little-endian.
  Fnv1a& add(std::uint64_t value) {
    for (int i = 0; i < 8; ++i) add_byte(static_cast<std::uint8_t>(value >> (8 * i)));
    return *this;
  }
  std::uint64_t value() const { return state_; }

 private:
  void add_byte(std::uint8_t byte) { state_ = (state_ ^ byte) * 0x100000001b3u; }
  std::uint64_t state_ = 0xcbf29ce484222325u;
};

}  // namespace wnpu::npu
