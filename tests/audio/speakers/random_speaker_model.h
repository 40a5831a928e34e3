// The speaker networks with random weights, in files as torch.save writes them.
#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "audio/speakers/speaker_model.h"
#include "tests/nano/nano_model.h"
#include "tests/nano/nano_pytorch.h"

namespace wnpu::tests {

class RandomWeights {
 public:
  explicit RandomWeights(unsigned seed) : random_(seed) {}

  // Normal values, so that a row's sum of products is about as large as one product's factors.
  void add(const std::string& name, const std::vector<std::size_t>& shape, float scale = 1) {
    std::size_t size = 1;
    for (const std::size_t n : shape) size *= n;
    const float width = scale / std::sqrt(static_cast<float>(size) / static_cast<float>(shape[0]));
    std::normal_distribution<float> normal(0, width);
    NanoTensor& tensor = model_.tensors[name];
    tensor.shape = shape;
    for (std::size_t i = 0; i < size; ++i) tensor.values.push_back(normal(random_));
  }
  void add_norm(const std::string& name, std::size_t n) {
    for (const char* part : {".weight", ".bias", ".running_mean", ".running_var"})
      add(name + part, {n}, 0.1F);
    for (const char* part : {".weight", ".running_var"}) {
      for (float& x : model_.tensors[name + part].values) x = 1 + std::abs(x);
    }
  }

  // Under a key of the file's dict; empty: the dict itself.
  void write(const std::filesystem::path& file, const std::string& key) const {
    PtSpec spec;
    spec.dtype = models::DType::f32;
    PtModel archive = to_pytorch(model_, spec);
    std::string& pickle = archive.at("data.pkl");
    const std::string old_key = "model_state_dict";
    const std::size_t dict = pickle.find(old_key) + old_key.size();
    const std::string tensors = pickle.substr(dict, pickle.size() - dict - 2);  // less "u."
    const std::string start("\x80\x02", 2);
    pickle = key.empty() ? start + tensors + "."
                         : start + "}(X" + static_cast<char>(key.size()) + std::string(3, '\0') +
                               key + tensors + "u.";
    std::ofstream(file, std::ios::binary) << zip_bytes(archive);
  }

 private:
  std::mt19937 random_;
  NanoModel model_;
};

inline void write_random_segmentation(const std::filesystem::path& file, unsigned seed) {
  RandomWeights net(seed);
  net.add("sincnet.wav_norm1d.weight", {1});
  net.add("sincnet.wav_norm1d.bias", {1});
  net.add("sincnet.conv1d.0.filterbank.low_hz_", {40, 1}, 1000);
  net.add("sincnet.conv1d.0.filterbank.band_hz_", {40, 1}, 300);
  constexpr std::array<std::size_t, 4> kChannels = {1, 80, 60, 60};
  for (std::size_t i = 0; i < 3; ++i) {
    const std::string number = std::to_string(i);
    net.add("sincnet.norm1d." + number + ".weight", {kChannels[i + 1]});
    net.add("sincnet.norm1d." + number + ".bias", {kChannels[i + 1]});
    if (i == 0) continue;
    net.add("sincnet.conv1d." + number + ".weight", {kChannels[i + 1], kChannels[i], 5});
    net.add("sincnet.conv1d." + number + ".bias", {kChannels[i + 1]});
  }
  for (std::size_t i = 0; i < 8; ++i) {
    const std::string end = "_l" + std::to_string(i / 2) + (i % 2 == 0 ? "" : "_reverse");
    net.add("lstm.weight_ih" + end, {512, i < 2 ? 60U : 256U}, 2);
    net.add("lstm.weight_hh" + end, {512, 128});
    net.add("lstm.bias_ih" + end, {512}, 0.1F);
    net.add("lstm.bias_hh" + end, {512}, 0.1F);
  }
  net.add("linear.0.weight", {128, 256}, 3);
  net.add("linear.0.bias", {128}, 0.1F);
  net.add("linear.1.weight", {128, 128}, 3);
  net.add("linear.1.bias", {128}, 0.1F);
  net.add("classifier.weight", {7, 128}, 3);
  net.add("classifier.bias", {7}, 0.1F);
  net.write(file, "state_dict");
}

inline void write_random_embedding(const std::filesystem::path& file, unsigned seed) {
  RandomWeights net(seed);
  net.add("head.conv1.weight", {32, 1, 3, 3});
  net.add_norm("head.bn1", 32);
  for (int i = 0; i < 4; ++i) {
    const std::string block =
        "head.layer" + std::to_string(i / 2 + 1) + "." + std::to_string(i % 2);
    for (const std::string number : {"1", "2"}) {
      net.add(block + ".conv" + number + ".weight", {32, 32, 3, 3});
      net.add_norm(block + ".bn" + number, 32);
    }
    if (i % 2 != 0) continue;
    net.add(block + ".shortcut.0.weight", {32, 32, 1, 1});
    net.add_norm(block + ".shortcut.1", 32);
  }
  net.add("head.conv2.weight", {32, 32, 3, 3});
  net.add_norm("head.bn2", 32);
  net.add("xvector.tdnn.linear.weight", {128, 320, 5});
  net.add_norm("xvector.tdnn.nonlinear.batchnorm", 128);
  std::size_t channels = 128;
  constexpr std::array<int, 3> kLayers = {12, 24, 16};
  for (std::size_t b = 0; b < kLayers.size(); ++b) {
    const std::string number = std::to_string(b + 1);
    for (int i = 0; i < kLayers[b]; ++i, channels += 32) {
      const std::string layer = "xvector.block" + number + ".tdnnd" + std::to_string(i + 1);
      net.add_norm(layer + ".nonlinear1.batchnorm", channels);
      net.add(layer + ".linear1.weight", {128, channels, 1});
      net.add_norm(layer + ".nonlinear2.batchnorm", 128);
      net.add(layer + ".cam_layer.linear_local.weight", {32, 128, 3});
      net.add(layer + ".cam_layer.linear1.weight", {64, 128, 1});
      net.add(layer + ".cam_layer.linear1.bias", {64});
      net.add(layer + ".cam_layer.linear2.weight", {32, 64, 1});
      net.add(layer + ".cam_layer.linear2.bias", {32});
    }
    net.add_norm("xvector.transit" + number + ".nonlinear.batchnorm", channels);
    net.add("xvector.transit" + number + ".linear.weight", {channels / 2, channels, 1});
    channels /= 2;
  }
  net.add_norm("xvector.out_nonlinear.batchnorm", channels);
  net.add("xvector.dense.linear.weight", {192, 2 * channels, 1});
  net.add_norm("xvector.dense.nonlinear.batchnorm", 192);
  net.write(file, "");
}

inline audio::SpeakerModel random_speaker_model(const std::filesystem::path& folder) {
  write_random_segmentation(folder / audio::kSegmentationFile, 1);
  write_random_embedding(folder / audio::kEmbeddingFile, 2);
  return audio::SpeakerModel::open(folder);
}

}  // namespace wnpu::tests
