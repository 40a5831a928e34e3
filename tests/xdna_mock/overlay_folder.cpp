#include "tests/xdna_mock/overlay_folder.h"

#include <atomic>
#include <fstream>
#include <stdexcept>
#include <unistd.h>
#include <vector>

#include <nlohmann/json.hpp>

namespace wnpu::tests {
namespace fs = std::filesystem;

void write_file(const fs::path& path, const std::string& bytes) {
  std::ofstream file(path, std::ios::binary);
  file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
  if (!file.flush()) throw std::runtime_error("cannot write " + path.string());
}

fs::path write_overlay(const fs::path& folder, std::span<const StandInCall> calls,
                       const XclbinContent& content) {
  fs::path xclbin = folder / "npu1.xclbin";
  nlohmann::json manifest = {
      {"schema", 1},
      {"overlay", npu::hash_text(npu::overlay_hash(design_of(calls.front())))},
      {"target", "npu1"},
      {"kernel", std::string(content.kernel)},
      {"streams", nlohmann::json::object()}};
  for (const StandInCall& call : calls) {
    const std::string hash = npu::hash_text(npu::design_hash(design_of(call)));
    const std::vector<std::uint32_t> words = to_stream(call);
    const auto bytes = std::as_bytes(std::span(words));
    write_file(folder / (hash + ".bin"),
               {reinterpret_cast<const char*>(bytes.data()), bytes.size()});
    manifest["streams"][hash] = hash + ".bin";
  }
  write_file(xclbin, make_xclbin(content));
  write_file(xclbin.string() + ".json", manifest.dump(1));
  return xclbin;
}

OverlayFolder::OverlayFolder(std::span<const StandInCall> calls, const XclbinContent& content) {
  static std::atomic<int> count{0};
  path_ = fs::temp_directory_path() /
          ("wnpu_overlay_" + std::to_string(::getpid()) + "_" + std::to_string(count++));
  fs::create_directories(path_);
  xclbin_ = write_overlay(path_, calls, content);
}

OverlayFolder::~OverlayFolder() {
  std::error_code error;
  fs::remove_all(path_, error);
}

}  // namespace wnpu::tests
