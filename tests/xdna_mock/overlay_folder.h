// A temporary folder with all that an NPU needs on disk: XCLBIN, manifest and instruction streams,
// for the stand-ins of these tests.
#pragma once

#include <filesystem>
#include <span>
#include <string>

#include "tests/xdna_mock/array_executor.h"
#include "tests/xdna_mock/xclbin_file.h"

namespace wnpu::tests {

// Writes npu1.xclbin, its manifest and the streams of `calls`.
std::filesystem::path write_overlay(const std::filesystem::path& folder,
                                    std::span<const StandInCall> calls,
                                    const XclbinContent& content = {});

class OverlayFolder {
 public:
  explicit OverlayFolder(std::span<const StandInCall> calls, const XclbinContent& content = {});
  ~OverlayFolder();
  OverlayFolder(const OverlayFolder&) = delete;
  OverlayFolder& operator=(const OverlayFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }
  const std::filesystem::path& xclbin() const { return xclbin_; }

 private:
  std::filesystem::path path_;
  std::filesystem::path xclbin_;
};

void write_file(const std::filesystem::path& path, const std::string& bytes);

}  // namespace wnpu::tests
