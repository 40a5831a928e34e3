// A file from a server that may be slow, gone for a while, or lie: tried again, gone on with where
// it was cut, and proved before it gets its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "models/base/error.h"

namespace wnpu::app {

// The server does not have it: another source may.
struct NotPublished : models::ModelError {
  using models::ModelError::ModelError;
};

struct Download {
  std::string url;
  std::filesystem::path folder;
  std::string name;         // in the folder
  std::uint64_t bytes = 0;  // 0: not known
  std::string sha256;       // empty: not known
  // Bytes that are there, and of how many; 0: not known.
  std::function<void(std::uint64_t done, std::uint64_t total)> tell;
  // What is tried again, and why.
  std::function<void(const std::string& text)> note;
};

// Leaves the file under its name and returns its SHA-256, which is `sha256` where that is known.
// What is there of it already is gone on with. Throws NotPublished, ModelError, OutputError,
// LibraryError; the part stays, for the next time, but where it was shown to be wrong.
std::string download(const Download& order);

}  // namespace wnpu::app
