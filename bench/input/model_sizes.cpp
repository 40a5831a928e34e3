#include "bench/input/model_sizes.h"

#include <algorithm>
#include <array>

#include "npu/design/layer_abi.h"

namespace wnpu::bench {
namespace {

struct Size {
  std::string_view name;
  std::size_t n_mels, width, heads, encoder_layers, decoder_layers, n_vocab;
};

// openai/whisper model cards and checkpoints ("dims" of each .pt); all have 1500 audio positions
// and 448 text positions, and encoder and decoder are equally wide.
constexpr std::array kSizes{
    Size{"tiny", 80, 384, 6, 4, 4, 51865},
    Size{"base", 80, 512, 8, 6, 6, 51865},
    Size{"small", 80, 768, 12, 12, 12, 51865},
    Size{"medium", 80, 1024, 16, 24, 24, 51865},
    Size{"large-v3-turbo", 128, 1280, 20, 32, 4, 51866},
    Size{"large-v3", 128, 1280, 20, 32, 32, 51866},
};

constexpr auto kNames = [] {
  std::array<std::string_view, kSizes.size()> names;
  for (std::size_t i = 0; i < names.size(); ++i) names[i] = kSizes[i].name;
  return names;
}();

}  // namespace

std::span<const std::string_view> size_names() { return kNames; }

std::optional<models::Dims> dims_of_size(std::string_view name) {
  const auto size = std::ranges::find(kSizes, name, &Size::name);
  if (size == kSizes.end()) return std::nullopt;
  return models::Dims{.n_mels = size->n_mels,
                      .n_audio_ctx = 1500,
                      .n_audio_state = size->width,
                      .n_audio_head = size->heads,
                      .n_audio_layer = size->encoder_layers,
                      .n_vocab = size->n_vocab,
                      .n_text_ctx = 448,
                      .n_text_state = size->width,
                      .n_text_head = size->heads,
                      .n_text_layer = size->decoder_layers};
}

npu::EncoderShape encoder_shape(const models::Dims& dims) {
  return {dims.n_audio_state, dims.n_audio_head, 4 * dims.n_audio_state, dims.n_audio_layer};
}

bool fits_array(const models::Dims& dims) {
  return dims.n_audio_state == npu::kHeadWidth * dims.n_audio_head;
}

double layer_operations(const models::Dims& dims, std::size_t frames) {
  const auto n = static_cast<double>(frames);
  const auto width = static_cast<double>(dims.n_audio_state);
  // qkv 3, out 1, mlp 4 + 4 weights of width^2; scores and their sum n * n * width each.
  return 2 * (12 * n * width * width + 2 * n * n * width);
}

}  // namespace wnpu::bench
