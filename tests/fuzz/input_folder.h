// Inputs that libFuzzer makes up, as the files that a reader opens.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <string>
#include <string_view>

namespace wnpu::fuzz {

// Three escapes keep whole models and long texts small; their first byte is in no UTF-8 text.
// "\xF5Z" and a little-endian u32: so many zero bytes.
inline constexpr std::string_view kZeros = "\xF5Z";
// "\xF5R", a little-endian u16 and a byte: so many times the bytes that follow, of that number.
inline constexpr std::string_view kRepeat = "\xF5R";
// "\xF5F": the next file begins.
inline constexpr std::string_view kNextFile =
    "\xF5"
    "F";

std::string_view as_text(const std::uint8_t* data, std::size_t size);

// Size limits of files with zeros written out: a few times the seeds' sizes. More costs a fuzzer
// its time and reaches nothing else.
inline constexpr std::size_t kTextBytes = std::size_t{16} << 10U;
// Deeper than a stack, longer than 16 bits.
inline constexpr std::size_t kLongTextBytes = std::size_t{256} << 10U;
inline constexpr std::size_t kAudioBytes = std::size_t{64} << 10U;
inline constexpr std::size_t kModelBytes = std::size_t{512} << 10U;
inline constexpr std::size_t kLargeModelBytes = std::size_t{2} << 20U;

// With zeros and repetitions written out, as far as there is room for them in max_bytes.
std::string written_out(std::string_view bytes, std::size_t max_bytes);

// A folder of its own, in TMPDIR (memory, in run.sh), for as long as the process lives.
class InputFolder {
 public:
  // max_bytes: of a file, zeros written out.
  explicit InputFolder(std::size_t max_bytes);
  InputFolder(const InputFolder&) = delete;
  InputFolder& operator=(const InputFolder&) = delete;
  ~InputFolder();

  const std::filesystem::path& path() const { return path_; }

  // The files of `bytes` under `names`, one after another. A file of no bytes is not there.
  void write(std::string_view bytes, std::initializer_list<const char*> names) const;

 private:
  std::size_t max_bytes_;
  std::filesystem::path path_;
};

}  // namespace wnpu::fuzz
