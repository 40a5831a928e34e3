// Weights of a network in a file of torch.save, by their names in torch's state dict.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "models/base/error.h"
#include "models/base/mapped_file.h"
#include "models/base/tensor.h"
#include "models/files/tensor_view.h"

namespace wnpu::audio {

using Shape = std::vector<std::size_t>;

// Scale and shift of each channel.
struct ChannelAffine {
  std::vector<float> scale;
  std::vector<float> shift;
};

class StateDict {
 public:
  // State dict under `key` of the file's dict; empty: the file's dict itself. Throws ModelError.
  StateDict(const std::filesystem::path& path, const std::string& key);

  // These throw ModelError where there is no tensor of the name and shape, or not all is finite.
  std::vector<float> values(const std::string& name, const Shape& shape) const;
  // Weights of a convolution, [out, in, taps...], as [out, taps * in]: a tap's inputs lie one
  // behind the other.
  models::Matrix taps(const std::string& name, const Shape& shape) const;
  // Batch normalisation of `n` channels in inference (epsilon: torch's 1e-5). Without weights of
  // its own where not `affine`.
  ChannelAffine batch_norm(const std::string& name, std::size_t n, bool affine = true) const;

 private:
  std::string path_;
  models::MappedFile file_;
  std::map<std::string, models::TensorView> tensors_;
};

}  // namespace wnpu::audio
