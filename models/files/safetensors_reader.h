// One .safetensors file: u64 length of a header, the header as JSON ({name: {dtype, shape,
// data_offsets}}), then the values. https://github.com/huggingface/safetensors, "Format".
#pragma once

#include <map>
#include <span>
#include <string>

#include "models/files/model_file.h"

namespace wnpu::models {

// All tensors of `file`, views into it, by the names they have there. The values must fill the
// file without gaps or overlaps, as the format demands. `path` goes into the messages. Throws
// ModelError.
std::map<std::string, TensorView> read_safetensors(std::span<const std::byte> file,
                                                   const std::string& path);

}  // namespace wnpu::models
