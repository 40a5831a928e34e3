#include "audio/speakers/state_dict.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "models/files/pytorch/torch_archive.h"
#include "models/files/tensor_layout.h"
#include "models/weights/weights.h"

namespace wnpu::audio {
namespace {

using models::Matrix;

constexpr std::size_t kMostExtents = 4;  // of a convolution over time and frequency
constexpr float kEpsilon = 1e-5F;

}  // namespace

StateDict::StateDict(const std::filesystem::path& path, const std::string& key)
    : path_(path.string()), file_(path) {
  const models::TorchArchive archive(file_.bytes(), path_, kMostExtents);
  const models::Pickle pickle(archive.pickled(), path_);
  const models::PickleValue* const dict = key.empty() ? &pickle.root() : pickle.root().find(key);
  if (dict == nullptr || dict->kind != models::PickleValue::Kind::dict)
    archive.fail("checkpoint", "a state dict", "none");
  tensors_ = archive.tensors(*dict, models::TorchArchive::Numbers::floats_alone);
}

std::vector<float> StateDict::values(const std::string& name, const Shape& shape) const {
  const auto found = tensors_.find(name);
  if (found == tensors_.end() || found->second.shape != shape) {
    throw models::ModelError(
        path_ + ": " + name + ": expected a tensor " + models::shape_text(shape) + ", found " +
        (found == tensors_.end() ? "none" : models::shape_text(found->second.shape)));
  }
  std::vector<float> out(found->second.size());
  models::read_finite({found->second, path_ + ": " + name}, out);
  return out;
}

Matrix StateDict::taps(const std::string& name, const Shape& shape) const {
  const auto flat = values(name, shape);
  const std::size_t in = shape[1];
  const std::size_t n_taps = flat.size() / (shape[0] * in);
  Matrix matrix(shape[0], n_taps * in);
  for (std::size_t o = 0; o < shape[0]; ++o) {
    for (std::size_t i = 0; i < in; ++i) {
      for (std::size_t t = 0; t < n_taps; ++t)
        matrix.row(o)[t * in + i] = flat[(o * in + i) * n_taps + t];
    }
  }
  return matrix;
}

ChannelAffine StateDict::batch_norm(const std::string& name, std::size_t n, bool affine) const {
  const auto mean = values(name + ".running_mean", {n});
  const auto variance = values(name + ".running_var", {n});
  ChannelAffine norm{std::vector<float>(n, 1.0F), std::vector<float>(n, 0.0F)};
  if (affine) norm = {values(name + ".weight", {n}), values(name + ".bias", {n})};
  for (std::size_t i = 0; i < n; ++i) {
    if (!(variance[i] >= 0)) {
      throw models::ModelError(path_ + ": " + name +
                               ".running_var: expected variances, found a negative one");
    }
    norm.scale[i] /= std::sqrt(variance[i] + kEpsilon);
    norm.shift[i] -= mean[i] * norm.scale[i];
  }
  return norm;
}

}  // namespace wnpu::audio
