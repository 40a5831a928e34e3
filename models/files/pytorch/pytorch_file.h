// openai-whisper's checkpoint: a zip archive of torch.save with dims and a state dict.
#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "models/files/model_file.h"

namespace wnpu::models {

// Text tokens' bytes for a model of these dims, which a checkpoint lacks, from somewhere else; an
// empty list where there are none.
using TextTokens = std::function<std::vector<std::string>(const Dims& dims)>;

// openai/whisper __init__.py load_model: {"dims": ..., "model_state_dict": ...}, in fp32, fp16 or
// bf16. The pickle in it is read as data (pickle.h). Text tokens are those of the tokenizer files
// in its folder, else what `find_tokens` gives. Throws ModelError.
std::unique_ptr<ModelFile> open_pytorch(const std::filesystem::path& path,
                                        const TextTokens& find_tokens);

// Whether a file that begins so is a zip archive of torch.save.
bool is_pytorch_archive(std::string_view start);

}  // namespace wnpu::models
