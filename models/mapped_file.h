// A file mapped read-only into memory for as long as the object lives.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace wnpu::models {

// Pages are read when touched, so that opening a model costs nothing but its header. A file that
// another process shortens while it is mapped ends this process (SIGBUS): the price of mapping.
class MappedFile {
 public:
  // Throws ModelError if there is no such regular file. An empty file maps to an empty span.
  explicit MappedFile(const std::filesystem::path& path);
  MappedFile(MappedFile&& other) noexcept;
  MappedFile& operator=(MappedFile&& other) noexcept;
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile();

  std::span<const std::byte> bytes() const { return bytes_; }

 private:
  std::span<const std::byte> bytes_;
};

// Gives the whole pages within a part of a mapped file back to the system; they are read from the
// file again where they are touched again. Never for memory that is no file's: it would become 0.
void release_pages(std::span<const std::byte> part);

// The same bytes as characters.
std::string_view as_text(std::span<const std::byte> bytes);

}  // namespace wnpu::models
