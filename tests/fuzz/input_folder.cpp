#include "tests/fuzz/input_folder.h"

#include <algorithm>
#include <cstring>
#include <fstream>
#include <stdexcept>
#include <stdlib.h>  // NOLINT(modernize-deprecated-headers): mkdtemp is POSIX

namespace wnpu::fuzz {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::string_view as_text(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

std::string written_out(std::string_view bytes, std::size_t max_bytes) {
  std::string all;
  while (!bytes.empty()) {
    const std::size_t at = std::min(bytes.find(kZeros[0]), bytes.size());
    all += bytes.substr(0, at);
    bytes.remove_prefix(at);
    std::uint32_t count = 0;
    std::string_view part;
    if (bytes.starts_with(kZeros) && bytes.size() >= 6) {
      std::memcpy(&count, bytes.data() + 2, 4);
      part = std::string_view("\0", 1);
      bytes.remove_prefix(6);
    } else if (bytes.starts_with(kRepeat) && bytes.size() >= 5) {
      std::memcpy(&count, bytes.data() + 2, 2);
      part = bytes.substr(5, static_cast<std::uint8_t>(bytes[4]));
      bytes.remove_prefix(5 + part.size());
    } else {
      count = bytes.empty() ? 0 : 1;
      part = bytes.substr(0, count);
      bytes.remove_prefix(count);
    }
    const std::size_t room = max_bytes - std::min(all.size(), max_bytes);
    const std::size_t most = part.empty() ? 0 : std::min<std::size_t>(count, room / part.size());
    for (std::size_t i = 0; i < most; ++i) all += part;
  }
  return all;
}

InputFolder::InputFolder(std::size_t max_bytes) : max_bytes_(max_bytes) {
  std::string name = (fs::temp_directory_path() / "wnpu_fuzz_XXXXXX").string();
  if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("cannot make " + name);
  path_ = name;
}

InputFolder::~InputFolder() {
  std::error_code ignored;  // nothing depends on what is left behind
  fs::remove_all(path_, ignored);
}

void InputFolder::write(std::string_view bytes, std::initializer_list<const char*> names) const {
  for (const char* name : names) {
    const std::size_t end = std::min(bytes.find(kNextFile), bytes.size());
    const std::string content = written_out(bytes.substr(0, end), max_bytes_);
    bytes.remove_prefix(std::min(end + kNextFile.size(), bytes.size()));
    const fs::path file = path_ / name;
    if (content.empty()) {
      fs::remove(file);
    } else {
      std::ofstream(file, std::ios::binary) << content;
    }
  }
}

}  // namespace wnpu::fuzz
