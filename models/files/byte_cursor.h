// Reads little-endian values one after another from bytes that nobody has checked yet.
#pragma once

#include <bit>
#include <cstddef>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include "models/base/error.h"

namespace wnpu::models {

static_assert(std::endian::native == std::endian::little, "model files are little-endian");

class ByteCursor {
 public:
  // `path` goes into the messages.
  ByteCursor(std::span<const std::byte> bytes, std::string path)
      : bytes_(bytes), path_(std::move(path)) {}

  std::size_t offset() const { return offset_; }
  std::size_t remaining() const { return bytes_.size() - offset_; }

  // The next `count` bytes. Throws ModelError where the file ends before; `what` names them.
  std::span<const std::byte> take(std::size_t count, std::string_view what) {
    if (count > remaining()) {
      throw ModelError(path_ + ": " + std::string(what) + ": expected " + std::to_string(count) +
                       " bytes at offset " + std::to_string(offset_) + ", found " +
                       std::to_string(remaining()) + " before the end of the file");
    }
    const auto taken = bytes_.subspan(offset_, count);
    offset_ += count;
    return taken;
  }

  template <typename T>
  T read(std::string_view what) {
    static_assert(std::is_arithmetic_v<T>);
    T value = {};
    std::memcpy(&value, take(sizeof(T), what).data(), sizeof(T));
    return value;
  }

 private:
  std::span<const std::byte> bytes_;
  std::string path_;
  std::size_t offset_ = 0;
};

}  // namespace wnpu::models
