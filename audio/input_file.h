// The bytes of an input, seekable and readable more than once. What cannot seek (stdin, a pipe) is
// first written to an unlinked temporary file: the log-mel needs the whole file's maximum before
// its first window, so nothing is lost by waiting for the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "audio/input.h"

namespace wnpu::audio {

class InputFile {
 public:
  // Throws AudioError where there is no readable, non-empty file. (Raw PCM may be empty: no
  // samples.) A signal that interrupts the reading of a pipe is an AudioError too, so that a caller
  // whose handler noted it gets control back.
  explicit InputFile(const Input& input);
  ~InputFile();
  InputFile(InputFile&& other) noexcept;
  InputFile& operator=(InputFile&&) = delete;

  // Another handle of the same bytes.
  InputFile duplicate() const;

  const std::string& name() const { return name_; }  // for messages: the path, or "stdin"
  std::uint64_t size() const { return size_; }
  const std::optional<RawFormat>& raw_format() const { return raw_format_; }

  // Reads up to out.size() bytes from `offset`; fewer at the end of the file only. An I/O error is
  // as the end here, because decoders call this from C, and is thrown by check().
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) noexcept;
  // Throws AudioError if a read_at failed.
  void check() const;

 private:
  InputFile() = default;

  std::string name_;
  std::optional<RawFormat> raw_format_;
  int fd_ = -1;
  std::uint64_t size_ = 0;
  int read_errno_ = 0;
};

}  // namespace wnpu::audio
