// Checksums in results; those of models are kept from run to run.
#pragma once

#include <filesystem>
#include <functional>
#include <string>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// sha256_of_file(), or what it was for the file of this path with this device, inode, size and
// times of change of content and status (stat's st_mtim, st_ctim), as `list` has it: a line each.
// A sum that is computed is added to the list, where that can be written, of a file that has been
// as it is for two seconds: times of files have steps. A list that grows beyond some hundred files
// is begun anew.
std::string known_sha256_of_file(const std::filesystem::path& path,
                                 const std::filesystem::path& list,
                                 const std::function<bool()>& should_stop = {});

// SHA-256 of the model's weights, by a list in the cache folder; a packed file says its source's.
// Empty as sha256_of_file().
std::string sha256_of_model(const ModelInfo& model, const std::function<bool()>& should_stop = {});

// Checksums of the inputs and the model of batches; the model's is computed once.
class Checksums {
 public:
  // Fills those of a transcript that is whole, but for an input's that is there. A stopped program
  // must end within half a second; a large model's file takes several.
  void add(Transcript& transcript, const std::function<bool()>& should_stop);

 private:
  std::string model_;
};

}  // namespace wnpu::app
