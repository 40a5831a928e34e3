// Numbers of English text in digits, as openai/whisper's EnglishNumberNormalizer.
#pragma once

#include <string>
#include <string_view>

namespace wnpu::bench {

// text is in lower case and free of punctuation other than . % $ ¢ € £.
std::u32string standardize_numbers(std::u32string_view text);

}  // namespace wnpu::bench
