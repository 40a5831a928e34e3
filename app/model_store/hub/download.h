// A file from a server that may be slow, gone for a while, or lie: tried again, gone on with where
// it was cut, and proved before it gets its name.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <string_view>

#include "app/model_store/hub/part.h"
#include "models/base/error.h"

namespace wnpu::app {

// what() begins with the URL, without what of it may be secret; `cause` is the rest.
struct DownloadError : models::ModelError {
  enum class Why {
    absent,     // 401, 403, 404, 410: another source may have it
    refused,    // the server says no, or sends what it must not, and will again
    too_large,  // more than most_bytes
    failed,     // a try later may do better
  };
  DownloadError(Why why_not, const std::string& url, const std::string& text)
      : models::ModelError(url + ": " + text), why(why_not), cause(text) {}
  Why why;
  std::string cause;
};

// A file of unknown length has an end: the largest model has 6.2 GB.
inline constexpr std::uint64_t kMostBytes = std::uint64_t{16} << 30U;

struct Download {
  std::string url;
  std::filesystem::path folder;
  std::string name;         // in the folder; of fetch(): for notes
  std::uint64_t bytes = 0;  // 0: not known
  std::string sha256;       // empty: not known
  // Bytes that are there, and of how many; 0: not known.
  std::function<void(std::uint64_t done, std::uint64_t total)> tell;
  // Receiver of notes: what is tried again, and why.
  std::function<void(const std::string& text)> note;
  // More of them are refused.
  std::uint64_t most_bytes = kMostBytes;
  // The Content-Type of what comes; may be empty.
  std::function<void(std::string_view type)> tell_type = {};
  // Ends it with models::Stopped.
  std::function<bool()> should_stop = {};
};

// Leaves the file under its name and returns its SHA-256, which is `sha256` where that is known.
// What is there of it already is gone on with. Throws DownloadError, ModelError, OutputError,
// LibraryError; the part stays, for the next time, but where it was shown to be wrong.
std::string download(const Download& order);

// Puts the file into `part`; what its bytes are is for the caller to prove. Throws DownloadError,
// LibraryError, and what the part throws.
void fetch(const Download& order, Part& part);

}  // namespace wnpu::app
