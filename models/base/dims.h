// The ten numbers that make a Whisper model; every shape in the program follows from them.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace wnpu::models {

// Names as in openai/whisper model.py ModelDimensions.
struct Dims {
  std::size_t n_mels = 0;         // 80, or 128 from large-v3 on
  std::size_t n_audio_ctx = 0;    // encoder positions in a 30 s window: 1500
  std::size_t n_audio_state = 0;  // encoder width
  std::size_t n_audio_head = 0;
  std::size_t n_audio_layer = 0;
  std::size_t n_vocab = 0;     // 51864 English only, 51865 multilingual, 51866 with Cantonese
  std::size_t n_text_ctx = 0;  // decoder positions: 448
  std::size_t n_text_state = 0;
  std::size_t n_text_head = 0;
  std::size_t n_text_layer = 0;

  bool operator==(const Dims&) const = default;

  // openai/whisper model.py is_multilingual: English-only models have the GPT-2 vocabulary.
  bool is_multilingual() const { return n_vocab >= 51865; }
  // openai/whisper model.py num_languages: 99, or 100 with Cantonese.
  std::size_t n_languages() const { return n_vocab - 51765 - (is_multilingual() ? 1 : 0); }
  // Text tokens, which come before the special ones: the GPT-2 vocabulary without its end-of-text
  // token, or openai/whisper's multilingual.tiktoken.
  std::size_t n_text_tokens() const { return is_multilingual() ? 50257 : 50256; }
  // Input frames of one window, 10 ms each; the stem's second convolution halves them.
  std::size_t n_mel_frames() const { return 2 * n_audio_ctx; }
};

// Throws ModelError ("PATH: n_audio_head: expected ..., found ...") unless every number is in a
// range that a Whisper model can have, so that no later product of dims can overflow.
void validate(const Dims& dims, const std::string& path);

// The numbers of Dims by their names, for files that name them.
struct DimName {
  const char* name;
  std::size_t Dims::*extent;
};

// In the order of openai/whisper model.py ModelDimensions.
inline constexpr std::array<DimName, 10> kDimNames{{{"n_mels", &Dims::n_mels},
                                                    {"n_audio_ctx", &Dims::n_audio_ctx},
                                                    {"n_audio_state", &Dims::n_audio_state},
                                                    {"n_audio_head", &Dims::n_audio_head},
                                                    {"n_audio_layer", &Dims::n_audio_layer},
                                                    {"n_vocab", &Dims::n_vocab},
                                                    {"n_text_ctx", &Dims::n_text_ctx},
                                                    {"n_text_state", &Dims::n_text_state},
                                                    {"n_text_head", &Dims::n_text_head},
                                                    {"n_text_layer", &Dims::n_text_layer}}};

// Shapes of the released Whisper models, for what needs no weights.
// Names of them: "tiny" ... "large-v3-turbo", smallest first.
std::span<const std::string_view> size_names();
// The multilingual model of that size.
std::optional<Dims> dims_of_size(std::string_view name);

}  // namespace wnpu::models
