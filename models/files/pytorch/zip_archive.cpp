#include "models/files/pytorch/zip_archive.h"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string_view>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/files/byte_cursor.h"

namespace wnpu::models {
namespace {

using Bytes = std::span<const std::byte>;

// APPNOTE.TXT 4.3.7, 4.3.12, 4.3.14, 4.3.15, 4.3.16, 4.5.3.
constexpr std::uint32_t kLocalMark = 0x04034b50;
constexpr std::uint32_t kEntryMark = 0x02014b50;
constexpr std::uint32_t kEnd64Mark = 0x06064b50;
constexpr std::uint32_t kLocator64Mark = 0x07064b50;
constexpr std::string_view kEndMark = "PK\x05\x06";
constexpr std::size_t kEndBytes = 22;
constexpr std::size_t kLocator64Bytes = 20;
constexpr std::size_t kMaxComment = 0xFFFF;
constexpr std::uint16_t kSizes64 = 1;  // an extra field
constexpr std::uint32_t kIn64 = 0xFFFFFFFF;
constexpr std::uint16_t kEncrypted = 1;

// The most that a model has: large-v3 has 1259 tensors. A directory of no end is not begun.
constexpr std::uint64_t kMaxMembers = 100000;

struct Directory {
  std::uint64_t offset = 0;
  std::uint64_t n_members = 0;
};

struct Entry {
  std::string name;
  std::uint64_t offset = 0;
  std::uint64_t size = 0;
};

// Offset of the end record, the last thing in the archive but for a comment; npos if there is none.
// Searched forwards: rfind would compare at every byte.
std::size_t find_end(std::string_view text) {
  std::size_t found = text.npos;
  if (text.size() < kEndBytes) return found;
  const std::size_t last = text.size() - kEndBytes;
  for (std::size_t at = text.find(kEndMark, last - std::min(last, kMaxComment)); at <= last;
       at = text.find(kEndMark, at + 1)) {
    found = at;
  }
  return found;
}

class ZipReader {
 public:
  ZipReader(Bytes file, const std::string& path) : file_(file), path_(path) {}

  std::map<std::string, Bytes> run() {
    const Directory directory = find_directory();
    if (directory.n_members > kMaxMembers) {
      fail("directory", "at most " + std::to_string(kMaxMembers) + " members",
           std::to_string(directory.n_members));
    }
    ByteCursor cursor(part(directory.offset, "directory"), path_);
    std::map<std::string, Bytes> members;
    for (std::uint64_t i = 0; i < directory.n_members; ++i) {
      const Entry entry = read_entry(cursor);
      if (!members.emplace(entry.name, bytes_of(entry)).second) {
        fail(entry.name, "each member once", "it twice");
      }
    }
    return members;
  }

 private:
  [[noreturn]] void fail(const std::string& what, const std::string& expected,
                         const std::string& found) const {
    throw ModelError(path_ + ": " + what.substr(0, 100) + ": expected " + expected + ", found " +
                     found);
  }

  // From an offset to the file's end.
  Bytes part(std::uint64_t offset, const std::string& what) const {
    if (offset > file_.size()) {
      fail(what, "an offset within " + std::to_string(file_.size()) + " bytes",
           std::to_string(offset));
    }
    return file_.subspan(static_cast<std::size_t>(offset));
  }

  Directory find_directory() const {
    const std::size_t at = find_end(as_text(file_));
    if (at == std::string_view::npos)
      fail("end", "the end of a zip archive", "none: the file may be cut");
    ByteCursor cursor(file_.subspan(at + kEndMark.size()), path_);
    const auto disk = cursor.read<std::uint16_t>("disk");
    const auto first_disk = cursor.read<std::uint16_t>("disk");
    cursor.read<std::uint16_t>("members");
    Directory directory;
    directory.n_members = cursor.read<std::uint16_t>("members");
    cursor.read<std::uint32_t>("size of the directory");
    directory.offset = cursor.read<std::uint32_t>("offset of the directory");
    if (at >= kLocator64Bytes) {
      ByteCursor locator(file_.subspan(at - kLocator64Bytes, kLocator64Bytes), path_);
      if (locator.read<std::uint32_t>("mark") == kLocator64Mark) return directory64(locator);
    }
    if (disk != 0 || first_disk != 0) fail("end", "one file", "a part of several");
    return directory;
  }

  Directory directory64(ByteCursor& locator) const {
    locator.read<std::uint32_t>("disk");
    const auto offset = locator.read<std::uint64_t>("offset of the end");
    ByteCursor cursor(part(offset, "offset of the end"), path_);
    if (cursor.read<std::uint32_t>("mark") != kEnd64Mark) {
      fail("end", "a 64-bit end record", "another");
    }
    cursor.take(8 + 2 + 2, "versions");
    const auto disk = cursor.read<std::uint32_t>("disk");
    const auto first_disk = cursor.read<std::uint32_t>("disk");
    if (disk != 0 || first_disk != 0) fail("end", "one file", "a part of several");
    cursor.read<std::uint64_t>("members");
    Directory directory;
    directory.n_members = cursor.read<std::uint64_t>("members");
    cursor.read<std::uint64_t>("size of the directory");
    directory.offset = cursor.read<std::uint64_t>("offset of the directory");
    return directory;
  }

  Entry read_entry(ByteCursor& cursor) const {
    if (cursor.read<std::uint32_t>("mark") != kEntryMark) {
      fail("directory", "a member's entry", "other bytes");
    }
    cursor.take(4, "versions");
    const auto flags = cursor.read<std::uint16_t>("flags");
    const auto method = cursor.read<std::uint16_t>("method");
    cursor.take(4 + 4, "time and checksum");
    std::uint64_t packed = cursor.read<std::uint32_t>("packed size");
    Entry entry;
    entry.size = cursor.read<std::uint32_t>("size");
    const auto name_bytes = cursor.read<std::uint16_t>("length of a name");
    const auto extra_bytes = cursor.read<std::uint16_t>("length of extra fields");
    const auto comment_bytes = cursor.read<std::uint16_t>("length of a comment");
    cursor.take(2 + 2 + 4, "disk and attributes");
    entry.offset = cursor.read<std::uint32_t>("offset");
    entry.name = as_text(cursor.take(name_bytes, "name"));
    read_sizes64(cursor.take(extra_bytes, "extra fields"), entry, packed);
    cursor.take(comment_bytes, "comment");
    if ((flags & kEncrypted) != 0) fail(entry.name, "a member in the clear", "it encrypted");
    if (method != 0) fail(entry.name, "a member that is not compressed", "it compressed");
    if (packed != entry.size) {
      fail(entry.name, std::to_string(entry.size) + " bytes", std::to_string(packed));
    }
    return entry;
  }

  // Zip64 extra field: size, packed size and offset in 64 bits, in this order; it holds only the
  // numbers that do not fit 32 bits.
  void read_sizes64(Bytes extra, Entry& entry, std::uint64_t& packed) const {
    ByteCursor fields(extra, path_);
    while (fields.remaining() >= 4) {
      const auto id = fields.read<std::uint16_t>("extra field");
      const auto length = fields.read<std::uint16_t>("extra field");
      ByteCursor field(fields.take(length, "extra field"), path_);
      if (id != kSizes64) continue;
      for (std::uint64_t* number : {&entry.size, &packed, &entry.offset}) {
        if (*number == kIn64) *number = field.read<std::uint64_t>("64-bit number");
      }
    }
  }

  Bytes bytes_of(const Entry& entry) const {
    ByteCursor cursor(part(entry.offset, entry.name), path_);
    if (cursor.read<std::uint32_t>("mark") != kLocalMark) {
      fail(entry.name, "a member's header", "other bytes");
    }
    cursor.take(2 + 2 + 2 + 4 + 4 + 4 + 4, "header");
    const auto name_bytes = cursor.read<std::uint16_t>("length of a name");
    const auto extra_bytes = cursor.read<std::uint16_t>("length of extra fields");
    if (as_text(cursor.take(name_bytes, "name")) != entry.name) {
      fail(entry.name, "the same name in its header", "another");
    }
    cursor.take(extra_bytes, "extra fields");
    if (entry.size > cursor.remaining()) {
      fail(entry.name, std::to_string(entry.size) + " bytes", std::to_string(cursor.remaining()));
    }
    return cursor.take(static_cast<std::size_t>(entry.size), entry.name);
  }

  Bytes file_;
  const std::string& path_;
};

}  // namespace

std::map<std::string, std::span<const std::byte>> read_zip(std::span<const std::byte> file,
                                                           const std::string& path) {
  return ZipReader(file, path).run();
}

}  // namespace wnpu::models
