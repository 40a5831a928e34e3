// A model that is published: where its files lie, what they weigh, what proves them.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace wnpu::app {

// A file of a model at the place that it is pulled from.
struct HubFile {
  std::string_view name;         // that it gets in the model's folder
  std::uint64_t bytes = 0;       // 0: not known
  std::string_view sha256 = {};  // empty: not published; it is pinned at first use (pins.h)
  std::string_view at = {};      // its path below the host; empty: below the source's repository
  std::string_view host = {};    // empty: the source's
};

// Formats that models are published in, the one that is taken first at the front.
inline constexpr std::array<std::string_view, 4> kHubFormats = {"ctranslate2", "safetensors",
                                                                "ggml", "pytorch"};

// One model in one format.
struct HubSource {
  std::string_view format;      // one of kHubFormats
  std::string_view host;        // "https://huggingface.co"; --source takes another in its place
  std::string_view repository;  // "Systran/faster-whisper-tiny"
  std::string_view revision;    // a commit, or "main" where none is known
  std::string_view licence;     // of the files; "unknown"
  std::vector<HubFile> files;

  // Below the host: "Systran/faster-whisper-tiny/resolve/<revision>/config.json".
  std::string path_of(const HubFile& file) const;
  // URL of the file at its host, or at `mirror` if that is not empty.
  std::string url_of(const HubFile& file, std::string_view mirror) const;
  // Size of all files together; 0 if one's is not known.
  std::uint64_t bytes() const;
};

struct HubModel {
  std::string_view name;           // "tiny.en"
  std::vector<HubSource> sources;  // in the order of kHubFormats; at least one
  std::string_view folder = {};    // in the models' folder; empty: its name

  std::string folder_name() const { return std::string(folder.empty() ? name : folder); }
  // nullptr: it is not published in this format.
  const HubSource* find(std::string_view format) const;
};

// "148 MB", "3.1 GB"; "an unknown size" for 0.
std::string size_text(std::uint64_t bytes);

}  // namespace wnpu::app
