// Real speech: jfk.wav, which is fetched, and the recordings of tests/data.
#pragma once

#include <algorithm>
#include <filesystem>
#include <span>
#include <string>
#include <vector>

#include "audio/read/pcm_reader.h"
#include "tests/support/reference_data.h"

namespace wnpu::tests {

// All of a recording, 16 kHz mono, full scale 1.0.
inline std::vector<float> samples_of(const std::filesystem::path& recording) {
  const auto reader = audio::open_pcm({recording, {}});
  std::vector<float> samples;
  std::vector<float> block(16000);
  while (const std::size_t got = reader->read(block)) {
    samples.insert(samples.end(), block.begin(), block.begin() + static_cast<long>(got));
  }
  return samples;
}

// The files of a folder of tests/data that end so, by name.
inline std::vector<std::filesystem::path> data_files(const std::string& folder,
                                                     const std::string& ending = "") {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(data_file(folder))) {
    if (entry.path().string().ends_with(ending)) files.push_back(entry.path());
  }
  std::ranges::sort(files);
  return files;
}

// jfk.wav and the recordings.
inline std::vector<std::filesystem::path> real_speech(const std::filesystem::path& jfk) {
  auto files = data_files("recordings", ".flac");
  files.insert(files.begin(), jfk);
  return files;
}

// Recordings one after the other, several times.
inline std::vector<float> joined(std::span<const std::filesystem::path> recordings, int times) {
  std::vector<float> all;
  for (int i = 0; i < times; ++i) {
    for (const auto& recording : recordings) {
      const auto samples = samples_of(recording);
      all.insert(all.end(), samples.begin(), samples.end());
    }
  }
  return all;
}

}  // namespace wnpu::tests
