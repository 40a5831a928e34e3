// NumPy's .npy files (numpy.lib.format), versions 1 to 3: numbers of up to 64 bits in C order in,
// float32 out.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>

#include "app/engine/whisper_npu_tensor.hpp"

namespace wnpu::app {

// `bytes` is a file's content; `name` is for messages. Values that float32 cannot hold are rounded
// to nearest. Throws UsageError: what was expected, what was found.
Tensor parse_npy(std::string_view bytes, const std::string& name);
Tensor read_npy(const std::filesystem::path& path);

// As float32, little-endian, in C order.
std::string npy_bytes(const Tensor& tensor);

}  // namespace wnpu::app
