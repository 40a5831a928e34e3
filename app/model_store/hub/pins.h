// models.lock: the SHA-256 of files whose publisher gives none, as they were when they were first
// pulled. What is pulled later has to be the same.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace wnpu::app {

struct Pin {
  std::string file;  // "Systran/faster-whisper-base.en/resolve/<revision>/config.json"
  std::string sha256;
  std::uint64_t bytes = 0;
};

// In the models' folder. A line a file, sorted by names: SHA-256, bytes, name, with two spaces
// between; lines that begin with # are comments.
inline constexpr const char* kPinsName = "models.lock";

// Pins of the folder; empty if there is no such file. Throws ModelError for lines of another form.
std::map<std::string, Pin> read_pins(const std::filesystem::path& folder);

// Adds what is not there yet; what is there stays. Other processes may do so as well. Throws
// ModelError, OutputError.
void add_pins(const std::filesystem::path& folder, const std::vector<Pin>& pins);

// Whether it is 64 digits of lower-case hex.
bool is_sha256(std::string_view text);

}  // namespace wnpu::app
