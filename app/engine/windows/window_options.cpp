#include "app/engine/windows/window_options.h"

#include <algorithm>
#include <span>
#include <string_view>

#include "app/engine/windows/clips.h"
#include "audio/mel/mel_source.h"
#include "decoder/search/decode_options.h"
#include "decoder/text/alignment.h"
#include "decoder/text/rest.h"
#include "models/base/utf8.h"

namespace wnpu::app {
namespace {

using models::TokenId;

// "Below are sentences in Mandarin, with marks.", simplified: without a text before it a clip
// comes in either script, and mostly without marks.
constexpr std::string_view kChineseStyle = "以下是普通话的句子，有标点符号。";

// Decoding temperatures: the list in the options, else as transcribe.py cli() makes them:
// temperature, then steps of the increment up to 1.
std::vector<double> all_temperatures(const TranscribeOptions& options) {
  if (!options.temperatures.empty()) return options.temperatures;
  std::vector<double> all = {options.temperature};
  const double step = options.temperature_increment_on_fallback.value_or(0);
  if (step <= 0) return all;
  for (int i = 1; options.temperature + i * step < 1.0 + 1e-6; ++i) {
    all.push_back(options.temperature + i * step);
  }
  return all;
}

// A text from the options as the decoder takes it: one space before it, none around.
std::vector<TokenId> encode_text(const models::Vocabulary& vocabulary, std::string_view text) {
  const std::string_view stripped = models::strip(text);
  if (stripped.empty()) return {};
  return vocabulary.encode(" " + std::string(stripped));
}

}  // namespace

WindowOptions::WindowOptions(const TranscribeOptions& options, const models::Dims& dims,
                             const models::Vocabulary& vocabulary, const std::string& language)
    : options_(options),
      dims_(dims),
      of_file_(decoder::decode_options_of(options)),
      temperatures_(all_temperatures(options)),
      thresholds_{options.compression_ratio_threshold, options.logprob_threshold,
                  options.no_speech_threshold},
      initial_prompt_(encode_text(vocabulary, options.initial_prompt)),
      hotwords_(encode_text(vocabulary, options.hotwords)),
      prefix_(encode_text(vocabulary, options.prefix)) {
  const bool stands_alone = options.batch_size > 1 && options.initial_prompt.empty();
  if (stands_alone && options.task == Task::transcribe)
    chinese_style_ = encode_text(vocabulary, kChineseStyle);
  of_file_.language = language;
  if (!options.word_timestamps) return;
  // Text for word timestamps has to fit into the context once more, for its alignment.
  const auto sot = decoder::sot_sequence(vocabulary, of_file_);
  const std::size_t longest = decoder::longest_alignment(dims, sot.size());
  if (of_file_.sample_len.value_or(0) > longest) of_file_.sample_len = longest;
}

decoder::DecodeOptions WindowOptions::at(const WindowPlace& place, const Context& context,
                                         double temperature) const {
  decoder::DecodeOptions decode = of_file_;
  if (!context.language.empty()) decode.language = context.language;
  decode.temperature = static_cast<float>(temperature);
  decode.prompt = prompt(context);
  if (decode.language == "zh")
    decode.prompt.insert(decode.prompt.end(), chinese_style_.begin(), chinese_style_.end());
  if (place.seek == 0) decode.prefix = prefix_;
  decode.speech_end = speech_end(place);
  // Windows differ in their random numbers; the same file gives the same text.
  decode.seed += place.seek;
  return decode;
}

// A clip of speech in a batch is speech up to its end. A rest of it would cost a window, and be
// heard without the text before it.
std::optional<float> WindowOptions::speech_end(const WindowPlace& place) const {
  const std::size_t rest = place.clip_end - std::min(place.clip_end, place.seek);
  if (!forces_speech() || rest > audio::kWindowFrames) return std::nullopt;
  return static_cast<float>(to_seconds(rest) - to_seconds(shortest_rest()));
}

bool WindowOptions::forces_speech() const {
  return options_.batch_size > 1 && options_.vad.enabled;
}

std::size_t WindowOptions::shortest_rest() const {
  return forces_speech() ? decoder::kShortestForcedRestFrames : decoder::kShortestRestFrames;
}

namespace {

// The latest n_left tokens of what was said. transcribe.py's all_tokens[-n_left:], which is all of
// them for 0, and all but the first for a negative number: where the carried prompt takes all the
// room, what was said pushes it out. The decoder takes the last tokens of a prompt that is too
// long.
std::span<const TokenId> latest(std::span<const TokenId> said, std::ptrdiff_t n_left) {
  const auto n_said = static_cast<std::ptrdiff_t>(said.size());
  const std::ptrdiff_t n = n_left > 0 ? n_left : n_said + n_left;
  return said.last(static_cast<std::size_t>(std::clamp(n, std::ptrdiff_t{0}, n_said)));
}

}  // namespace

// The initial prompt, where it is carried, and the hotwords; then as many of the latest tokens as
// fit.
std::vector<TokenId> WindowOptions::prompt(const Context& context) const {
  std::vector<TokenId> tokens;
  std::size_t first_said = context.prompt_reset_since;
  if (options_.carry_initial_prompt) {
    tokens = initial_prompt_;
    first_said = std::max(first_said, initial_prompt_.size());
  }
  tokens.insert(tokens.end(), hotwords_.begin(), hotwords_.end());
  const auto& all = context.all_tokens;
  const auto said = std::span(all).subspan(std::min(first_said, all.size()));
  const auto n_left = static_cast<std::ptrdiff_t>(dims_.n_text_ctx / 2 - 1) -
                      static_cast<std::ptrdiff_t>(tokens.size());
  if (!hotwords_.empty() && n_left <= 0) return tokens;  // openai/whisper has none: they stay
  const auto recent = latest(said, n_left);
  tokens.insert(tokens.end(), recent.begin(), recent.end());
  return tokens;
}

}  // namespace wnpu::app
