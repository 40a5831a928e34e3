// Writes a nano model as openai-whisper's checkpoint, byte by byte as torch.save does: a zip
// archive that is not compressed, with a pickle of protocol 2. The parts stay open to change in
// between.
#pragma once

#include <filesystem>
#include <string>
#include <utility>
#include <vector>

#include "tests/nano/nano_model.h"

namespace wnpu::tests {

struct PtModel {
  std::vector<std::pair<std::string, std::string>> members;  // name below the folder, bytes

  std::string& at(const std::string& name);
};

struct PtSpec {
  models::DType dtype = models::DType::f16;
  bool is_ordered_dict = true;  // the state dict as nn.Module.state_dict() gives it, else a dict
  bool is_parameter = false;    // tensors as parameters
  bool is_shared = false;       // all tensors begin one storage, as large as the largest
};
PtModel to_pytorch(const NanoModel& model, const PtSpec& spec = {});

// The bytes of an archive with these members, in the folder "archive". `zip64`: with 64-bit sizes
// and end, as torch writes them.
std::string zip_bytes(const PtModel& model, bool zip64 = true);

// The archive, and vocab.json beside it.
void write(const PtModel& model, const NanoModel& nano, const std::filesystem::path& file);

}  // namespace wnpu::tests
