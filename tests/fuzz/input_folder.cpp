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

std::string with_zeros(std::string_view bytes, std::size_t max_bytes) {
  std::string all;
  while (!bytes.empty()) {
    const std::size_t at = std::min(bytes.find(kZeros), bytes.size());
    all += bytes.substr(0, at);
    bytes.remove_prefix(at);
    std::uint32_t count = 0;
    if (bytes.size() < kZeros.size() + sizeof(count)) break;
    std::memcpy(&count, bytes.data() + kZeros.size(), sizeof(count));
    all.append(std::min<std::size_t>(count, max_bytes - std::min(all.size(), max_bytes)), '\0');
    bytes.remove_prefix(kZeros.size() + sizeof(count));
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
    const std::string content = with_zeros(bytes.substr(0, end), max_bytes_);
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
