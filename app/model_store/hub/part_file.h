// A file that is being pulled, and what is known of the file that it is a part of: enough to go on
// with it in another process. A process may be killed at any time.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>

#include "app/model_store/hub/part.h"
#include "models/base/descriptor.h"

namespace wnpu::app {

class PartFile final : public Part {
 public:
  // "NAME.part" and "NAME.from" in `folder`, which is there. Throws OutputError.
  PartFile(const std::filesystem::path& folder, const std::string& name);

  std::uint64_t size() const override { return size_; }
  const PartOrigin& origin() const override { return origin_; }
  const std::filesystem::path& path() const { return path_; }

  void restart(const PartOrigin& origin) override;
  // Adds bytes at the end. If the disk is full, the part is removed.
  void append(std::string_view bytes) override;
  // On the disk, under its name and no longer a part.
  void finish();
  void remove();

 private:
  [[noreturn]] void fail(const std::string& what);

  std::filesystem::path path_;  // of the part
  std::filesystem::path from_;
  std::filesystem::path target_;  // of the whole
  models::Descriptor descriptor_;
  std::uint64_t size_ = 0;
  PartOrigin origin_;
};

}  // namespace wnpu::app
