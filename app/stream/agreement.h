// LocalAgreement-2 (Machacek, Dabre, Bojar 2023, "Turning Whisper into Real-Time Transcription
// System"): of two hypotheses of growing audio, one after the other, the beginning on which they
// agree is taken to be what was said.
#pragma once

#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "app/engine/whisper_npu.hpp"

namespace wnpu::app {

// Equality of words but for ASCII capitals and marks around them: "Ask" and "ask,". Lone marks are
// the same word if they are equal.
bool is_same_word(std::string_view a, std::string_view b);

// Words at the beginning of `now` that both hypotheses have, whatever marks stand between them.
std::size_t n_agreed(std::span<const Word> before, std::span<const Word> now);

// Words at the beginning that the others end with, at most three.
std::size_t n_repeated(std::span<const Word> before, std::span<const Word> now);

// The text without the full stops, commas and the like at its end.
std::string_view without_closing_marks(std::string_view text);

// Takes such marks away from the beginning, with the words that are nothing else.
void drop_closing_marks_before(std::vector<Word>& words);

// Whether a sentence ends behind this word.
bool ends_sentence(std::string_view word);

}  // namespace wnpu::app
