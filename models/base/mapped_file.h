// A file mapped read-only into memory for as long as the object lives.
#pragma once

#include <cstddef>
#include <filesystem>
#include <span>
#include <string_view>

namespace wnpu::models {

// Pages are read when touched, so that opening a model costs nothing but its header. What can no
// longer be read then, since somebody has shortened the file or the disk fails, comes as SIGBUS:
// mapped_file_at says which file that is.
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

// Path of the mapped file that `address` lies in, cut where it is very long; null: it lies in none.
// May be called in a signal handler. The path is good for as long as the file is mapped.
const char* mapped_file_at(const void* address) noexcept;

// Gives the whole pages within a part of a mapped file back to the system; they are read from the
// file again where they are touched again. Never for memory that is no file's: it would become 0.
void release_pages(std::span<const std::byte> part);

// Reads the pages of a part of a mapped file at once, where the system can (Linux 5.14): cheaper
// than one fault after another, for what is all read.
void populate_pages(std::span<const std::byte> part);

// Bytes viewed as characters.
std::string_view as_text(std::span<const std::byte> bytes);

}  // namespace wnpu::models
