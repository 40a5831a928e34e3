#include "models/base/released_sizes.h"

#include <algorithm>
#include <array>

namespace wnpu::models {
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

std::optional<Dims> dims_of_size(std::string_view name) {
  const auto size = std::ranges::find(kSizes, name, &Size::name);
  if (size == kSizes.end()) return std::nullopt;
  return Dims{.n_mels = size->n_mels,
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

}  // namespace wnpu::models
