// The bytes of an input, seekable and readable more than once: a file's, or memory. What cannot
// seek (stdin, a pipe) is first written to an unlinked temporary file: the log-mel needs the whole
// file's maximum before its first window, so nothing is lost by waiting for the end.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>

#include "audio/read/input.h"
#include "models/base/descriptor.h"

namespace wnpu::audio {

class InputFile {
 public:
  // Throws AudioError where there is no readable, non-empty file. (Raw PCM may be empty: no
  // samples.) `should_stop`, where given, is asked while a pipe is waited for, ten times a second,
  // and before each reading: true, which it must stay, ends that with models::Stopped.
  explicit InputFile(const Input& input, std::function<bool()> should_stop = {});
  // Another handle of the same bytes. Throws AudioError.
  InputFile duplicate() const;
  // A handle of which one channel is read, counted from 0, in the place of all mixed.
  InputFile of_channel(std::size_t channel) const;

  const std::string& name() const { return name_; }  // for messages: the path, "stdin" or "memory"
  std::uint64_t size() const { return size_; }
  const std::optional<RawFormat>& raw_format() const { return raw_format_; }
  const std::optional<std::size_t>& audio_track() const { return audio_track_; }
  const std::optional<std::size_t>& channel() const { return channel_; }
  const SampleRange& range() const { return range_; }
  bool container_times() const { return container_times_; }

  // Reads up to out.size() bytes from `offset`; fewer at the end of the file only. An I/O error,
  // and to be asked to stop, are as the end here, because decoders call this from C; check() throws
  // them.
  std::size_t read_at(std::uint64_t offset, std::span<std::byte> out) noexcept;
  // Throws AudioError if a read_at failed, models::Stopped if it is to stop.
  void check() const;

 private:
  InputFile() = default;

  void open(const Input& input);
  bool should_stop() const { return should_stop_ && should_stop_(); }

  std::string name_;
  std::function<bool()> should_stop_;
  std::optional<RawFormat> raw_format_;
  std::optional<std::size_t> audio_track_;
  std::optional<std::size_t> channel_;
  SampleRange range_;
  bool container_times_ = true;
  std::span<const std::byte> memory_;
  models::Descriptor file_;  // none: memory_
  std::uint64_t size_ = 0;
  int read_errno_ = 0;
};

// A file with a position, for what reads it from its start on: libraries, by callbacks of theirs.
struct ByteStream {
  InputFile file;
  std::int64_t position = 0;

  std::size_t read(std::span<std::byte> out) noexcept {
    const std::size_t n = file.read_at(static_cast<std::uint64_t>(position), out);
    position += static_cast<std::int64_t>(n);
    return n;
  }
};

}  // namespace wnpu::audio
