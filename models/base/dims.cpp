#include "models/base/dims.h"

#include <algorithm>

#include "models/base/error.h"

namespace wnpu::models {
namespace {

struct Range {
  const char* name;
  std::size_t value;
  std::size_t low;
  std::size_t high;
};

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

void validate(const Dims& dims, const std::string& path) {
  // Bounds are a few times large-v3's numbers: wide enough for any Whisper, and small enough that
  // no product of two of them overflows. A window is 30 s, which is 1500 positions. n_vocab has
  // three values: special tokens follow from it. n_text_ctx has room for a prompt of a token or
  // more, a prefix of half its length, the four tokens that every text begins with, and one of
  // text.
  const Range ranges[] = {
      {"n_mels", dims.n_mels, 1, 1024},
      {"n_audio_ctx", dims.n_audio_ctx, 1500, 1500},
      {"n_audio_state", dims.n_audio_state, 1, 8192},
      {"n_audio_head", dims.n_audio_head, 1, 256},
      {"n_audio_layer", dims.n_audio_layer, 1, 256},
      {"n_vocab", dims.n_vocab, 51864, 51866},
      {"n_text_ctx", dims.n_text_ctx, 16, 16384},
      {"n_text_state", dims.n_text_state, 1, 8192},
      {"n_text_head", dims.n_text_head, 1, 256},
      {"n_text_layer", dims.n_text_layer, 1, 256},
  };
  for (const auto& r : ranges) {
    if (r.value < r.low || r.value > r.high) {
      const std::string range = std::to_string(r.low) + " to " + std::to_string(r.high);
      throw ModelError(path + ": " + r.name + ": expected " +
                       (r.low == r.high ? std::to_string(r.low) : range) + ", found " +
                       std::to_string(r.value));
    }
  }
  if (dims.n_audio_state % dims.n_audio_head != 0 || dims.n_text_state % dims.n_text_head != 0) {
    throw ModelError(path + ": expected the widths to be multiples of the heads, found encoder " +
                     std::to_string(dims.n_audio_state) + " / " +
                     std::to_string(dims.n_audio_head) + ", decoder " +
                     std::to_string(dims.n_text_state) + " / " + std::to_string(dims.n_text_head));
  }
  if (dims.n_audio_state != dims.n_text_state) {
    throw ModelError(path + ": expected n_text_state to equal n_audio_state (" +
                     std::to_string(dims.n_audio_state) + "), found " +
                     std::to_string(dims.n_text_state));
  }
}

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
