#include "models/files/byte_cursor.h"

#include "models/base/error.h"

namespace wnpu::models {

std::span<const std::byte> ByteCursor::take(std::size_t count, std::string_view what) {
  if (count > remaining()) {
    throw ModelError(path_ + ": " + std::string(what) + ": expected " + std::to_string(count) +
                     " bytes at offset " + std::to_string(offset_) + ", found " +
                     std::to_string(remaining()) + " before the end of the file");
  }
  const auto taken = bytes_.subspan(offset_, count);
  offset_ += count;
  return taken;
}

}  // namespace wnpu::models
