// Uploads on disk, without a name, and the room that all of them together may take.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "models/base/descriptor.h"

namespace wnpu::serve {

class SpoolRoom {
 public:
  // `folder`: empty: TMPDIR, else /var/tmp.
  SpoolRoom(std::string folder, std::uint64_t most_bytes)
      : folder_(std::move(folder)), most_bytes_(most_bytes) {}

  const std::string& folder() const { return folder_; }
  std::uint64_t used() const { return used_; }
  bool take(std::uint64_t bytes);  // false: there is none
  void give_back(std::uint64_t bytes) { used_ -= bytes; }

 private:
  std::string folder_;
  std::uint64_t most_bytes_;
  std::atomic<std::uint64_t> used_{0};
};

// One upload. The file is gone with it, and when the process ends, whatever ends it.
class SpoolFile {
 public:
  // Throws ApiError.
  explicit SpoolFile(std::shared_ptr<SpoolRoom> room);
  ~SpoolFile();
  SpoolFile(const SpoolFile&) = delete;
  SpoolFile& operator=(const SpoolFile&) = delete;

  // Throws ApiError where spool or disk have no room.
  void add(std::string_view bytes);
  std::uint64_t size() const { return size_; }
  std::string path() const;  // as long as this lives

 private:
  std::shared_ptr<SpoolRoom> room_;
  models::Descriptor descriptor_;
  std::uint64_t size_ = 0;
};

}  // namespace wnpu::serve
