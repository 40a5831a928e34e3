// Thousands of generated transcripts in the formats that openai-whisper writes too: hashes of its
// own writers' output, made by writers_reference.py (openai-whisper 20250625).
#include <cstdint>
#include <sstream>

#include <doctest/doctest.h>

#include "app/formats/writers.h"

namespace {

using namespace wnpu::app;
using wnpu::Segment;
using wnpu::Word;

// As in writers_reference.py, which has them from nowhere: anything that a writer might stumble on.
const std::vector<std::string> kPieces = {
    " and",      " so",    " my",       " fellow",      " Americans,",
    " it's",     " -->",   "\tTab",     "  two spaces", " \"q\"",
    "日本",      "語。",   "「東京」",  "\u3000全角",   " 한국어",
    "中文，",    " Ünï",   " e\u0301",  " 😀",           "👩\u200d👩\u200d👧",
    "🇯🇵",        " مرحبا", " a\u00a0b", " \x01",        " line\nbreak",
    " <i>&amp;", " -",     " .",        " 12,345.67",   " end.",
};

const std::vector<SubtitleLayout> kLayouts = {
    {{}, {}, {}, false, {}}, {16, {}, {}, false, {}}, {24, 2, {}, false, {}},
    {{}, {}, 3, false, {}},  {{}, {}, {}, true, {}},
};

// Knuth's MMIX generator; its upper bits.
class Draws {
 public:
  explicit Draws(std::uint64_t seed) : state_(seed) {}
  std::uint64_t below(std::uint64_t n) {
    state_ = state_ * 6364136223846793005U + 1442695040888963407U;
    return (state_ >> 33U) % n;
  }

 private:
  std::uint64_t state_;
};

// Multiples of 2^-12 s: exact, and halfway between milliseconds now and then.
double seconds(std::uint64_t ticks) { return static_cast<double>(ticks) / 4096; }

wnpu::Transcript transcript(Draws& draws, bool with_words) {
  wnpu::Transcript made;
  std::uint64_t now = draws.below(4096);
  for (std::uint64_t s = 1 + draws.below(5); s > 0; --s) {
    Segment segment;
    for (std::uint64_t w = 1 + draws.below(9); w > 0; --w) {
      const std::uint64_t tens = draws.below(3);
      const std::uint64_t start = now + tens * draws.below(20000);
      now = start + draws.below(3000);
      const std::string& text = kPieces[draws.below(kPieces.size())];
      segment.words.push_back({text, seconds(start), seconds(now), 0.5});
      segment.text += text;
    }
    const std::uint64_t pause = draws.below(5);
    now += pause * draws.below(3000000);
    segment.start = segment.words.front().start;
    segment.end = segment.words.back().end;
    if (!with_words) segment.words.clear();
    made.segments.push_back(std::move(segment));
  }
  return made;
}

std::uint64_t text_hash(const std::string& text, std::uint64_t value) {
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

struct Expected {
  std::size_t layout;
  Format format;
  std::uint64_t hash;
};

const std::vector<Expected> kExpected = {
    {0, Format::txt, 0x466574d22bf5a645}, {0, Format::srt, 0x2e46fb6d6e9fa8b3},
    {0, Format::vtt, 0x0a8d7082c8ef88c3}, {0, Format::tsv, 0xc96c03f21eda19bc},
    {1, Format::txt, 0xd1702253fb0c3833}, {1, Format::srt, 0x79a347687fb1ba35},
    {1, Format::vtt, 0x9e2ad61f8f56d50e}, {1, Format::tsv, 0x56d252b654ed63cd},
    {2, Format::txt, 0xa2679f791ba68bce}, {2, Format::srt, 0xe49f9f25611e8d42},
    {2, Format::vtt, 0x9533bc4e305c2d16}, {2, Format::tsv, 0xaa9873b6deb0b9ee},
    {3, Format::txt, 0xc8825782d17c4c28}, {3, Format::srt, 0x0ae6f58c4faea0df},
    {3, Format::vtt, 0xe3ae65853331efa8}, {3, Format::tsv, 0x5df9a13b23c3dfb7},
    {4, Format::txt, 0xa074ed98e8766191}, {4, Format::srt, 0xfb17be8013d1ef0a},
    {4, Format::vtt, 0x7971901563fe58d2}, {4, Format::tsv, 0xa14b4fb7290fc42a},
};

}  // namespace

TEST_CASE("writers: 400 transcripts a format and layout are openai-whisper's to the byte") {
  for (const Expected& expected : kExpected) {
    CAPTURE(expected.layout);
    CAPTURE(extension_of(expected.format));
    Draws draws(expected.layout + 1);
    std::uint64_t hash = 0xcbf29ce484222325U;
    for (int i = 0; i < 400; ++i) {
      std::ostringstream out;
      WriteOptions options;
      options.layout = kLayouts[expected.layout];
      write(expected.format, transcript(draws, expected.layout > 0), options, out);
      hash = text_hash(out.str(), hash);
    }
    CHECK(hash == expected.hash);
  }
}
