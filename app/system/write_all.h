// Bytes to a descriptor whose other end may be slow, or asleep: a pipe, a terminal, a named pipe.
// What waits there ends a tenth of a second after a signal asked the program to stop.
#pragma once

#include <filesystem>
#include <ostream>
#include <streambuf>
#include <string>
#include <string_view>

namespace wnpu::app {

// Writes all of it to a descriptor that is open; `name` is for messages. Throws BrokenPipe where
// the reader went away, models::Stopped where nothing was taken after a signal, OutputError for all
// else.
void write_all(int descriptor, std::string_view contents, const std::string& name);

// A report to stdout; on a terminal without what would move its cursor.
void print_report(std::string_view text);

// Opens what is there for writing, once a named pipe has a reader. Throws OutputError, Stopped.
int open_in_place(const std::filesystem::path& path);

// Lets `stream` write to `descriptor` in this way, to its end. Where that fails, the stream is bad.
class DescriptorStream : public std::streambuf {
 public:
  DescriptorStream(std::ostream& stream, int descriptor)
      : stream_(stream), before_(stream.rdbuf(this)), descriptor_(descriptor) {}
  ~DescriptorStream() override { stream_.rdbuf(before_); }
  DescriptorStream(const DescriptorStream&) = delete;
  DescriptorStream& operator=(const DescriptorStream&) = delete;

 private:
  std::streamsize xsputn(const char* text, std::streamsize size) override;
  int_type overflow(int_type character) override;

  std::ostream& stream_;
  std::streambuf* before_;
  int descriptor_;
};

}  // namespace wnpu::app
