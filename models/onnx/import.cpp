#include "models/onnx/import.h"

#include <algorithm>
#include <string>
#include <utility>

#include "models/files/tensor_layout.h"
#include "models/files/tensor_names.h"
#include "models/onnx/encoder_weights.h"
#include "models/onnx/graph.h"

namespace wnpu::models {
namespace {

class ImportedModel final : public ModelFile {
 public:
  ImportedModel(const std::filesystem::path& path, const ModelFile& decoder) : graph_(path) {
    path_ = path.string();
    format_ = decoder.format();
    dims_ = decoder.dims();
    config_ = decoder.config();
    token_bytes_ = decoder.token_bytes();
    const auto encoder = onnx::find_encoder(graph_, dims_);
    for (const auto& [name, found] : encoder) add_tensor(name, found.view, path_);
    check_shared_bytes(path_);
    for (const auto& [name, found] : encoder) {
      if (found.is_transposed) tensors_.at(name) = transposed(found.view);
    }
    for (const TensorSpec& spec : whisper_tensors(dims_)) {
      if (!spec.name.starts_with("decoder.")) continue;
      add_tensor(spec.name, decoder.tensor(spec.name, spec.shape), decoder.path());
    }
    check_tensors(path_);
  }

 private:
  // [in, out] -> [out, in], in memory.
  TensorView transposed(const TensorView& view) {
    const std::size_t rows = view.shape[0];
    const std::size_t cols = view.shape[1];
    const std::size_t size = block_layout(view.dtype).bytes;
    std::vector<std::byte>& values = exchanged_.emplace_back(view.bytes.size());
    for (std::size_t r = 0; r < rows; ++r) {
      for (std::size_t c = 0; c < cols; ++c) {
        const std::byte* const from = view.bytes.data() + (r * cols + c) * size;
        std::copy_n(from, size, values.data() + (c * rows + r) * size);
      }
    }
    release(view);
    return {.dtype = view.dtype, .shape = {cols, rows}, .bytes = values};
  }

  onnx::Graph graph_;
  std::vector<std::vector<std::byte>> exchanged_;
};

}  // namespace

std::unique_ptr<ModelFile> import_onnx_encoder(const std::filesystem::path& path,
                                               const ModelFile& decoder) {
  return std::make_unique<ImportedModel>(path, decoder);
}

}  // namespace wnpu::models
