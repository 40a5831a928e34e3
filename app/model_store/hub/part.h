// Destination of a file's bytes that come over the network, perhaps in several tries.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace wnpu::app {

// Origin of a part. Without an ETag only a published SHA-256 can tell another file.
struct PartOrigin {
  std::string url;  // without user, password and query: it is kept on disk
  std::string etag;
  std::uint64_t total = 0;  // bytes of the file; 0: not known

  bool operator==(const PartOrigin&) const = default;
};

class Part {
 public:
  Part() = default;
  virtual ~Part() = default;
  Part(const Part&) = delete;
  Part& operator=(const Part&) = delete;

  virtual std::uint64_t size() const = 0;
  virtual const PartOrigin& origin() const = 0;
  // Empty again, and of another file.
  virtual void restart(const PartOrigin& origin) = 0;
  // Behind what is there.
  virtual void append(std::string_view bytes) = 0;
};

}  // namespace wnpu::app
