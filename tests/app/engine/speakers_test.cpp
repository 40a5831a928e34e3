// Who spoke: words and turns, pieces of segments, channels that hear each other, and a small model
// that hears two.
#include <cmath>
#include <numbers>
#include <random>
#include <string>

#include <doctest/doctest.h>

#include "app/engine/speakers/channel_levels.h"
#include "app/engine/speakers/channel_merge.h"
#include "app/engine/speakers/segment_cut.h"
#include "app/engine/speakers/word_speakers.h"
#include "app/engine/whisper_npu.hpp"
#include "tests/app/engine/engine_fixture.h"
#include "tests/support/text.h"

using namespace wnpu;  // NOLINT
using audio::SpeakerTurn;

namespace {

constexpr models::TokenId kEot = 1000;

decoder::Segment segment_of_words(std::vector<decoder::Word> words) {
  decoder::Segment segment;
  segment.start = words.front().start;
  segment.end = words.back().end;
  segment.tokens = {kEot + 1};
  for (decoder::Word& word : words) {
    word.n_tokens = 2;
    segment.text += word.text;
    segment.tokens.insert(segment.tokens.end(), 2, static_cast<models::TokenId>(word.text.size()));
  }
  segment.tokens.push_back(kEot + 2);
  segment.words = std::move(words);
  return segment;
}

std::string texts(std::span<const decoder::Segment> segments) {
  std::string text;
  for (const decoder::Segment& segment : segments) text += segment.text + "|";
  return text;
}

// Speech of one voice: a tone whose loudness goes up and down in a way of its own.
std::vector<float> voice(double seconds, double from, double to, unsigned seed) {
  std::mt19937 random(seed);
  std::vector<float> samples(static_cast<std::size_t>(seconds * 16000));
  double level = 0;
  for (std::size_t i = 0; i < samples.size(); ++i) {
    if (i % 1600 == 0) level = std::pow(10.0, -static_cast<double>(random() % 1000) / 500);
    const double time = static_cast<double>(i) / 16000;
    if (time < from || time >= to) continue;
    samples[i] = static_cast<float>(0.3 * level * std::sin(time * 2 * std::numbers::pi * 440));
  }
  return samples;
}

std::vector<float> mixed(const std::vector<float>& own, const std::vector<float>& other,
                         float gain) {
  std::vector<float> all = own;
  for (std::size_t i = 0; i < all.size(); ++i) all[i] += gain * other[i];
  return all;
}

app::ChannelLevels levels_of(std::span<const float> samples) {
  app::ChannelLevels levels;
  while (!samples.empty()) {  // in uneven parts, which change nothing
    const std::size_t n = std::min<std::size_t>(samples.size(), 7001);
    levels.add(samples.first(n));
    samples = samples.subspan(n);
  }
  return levels;
}

std::string joined_text(const Transcript& transcript, const std::string& speaker) {
  std::string text;
  for (const Segment& segment : transcript.segments) {
    if (segment.speaker == speaker) text += segment.text;
  }
  return text;
}

std::string joined_text(const Transcript& transcript) {
  std::string text;
  for (const Segment& segment : transcript.segments) text += segment.text;
  return text;
}

Transcript heard(Session& session, std::span<const float> samples, int channels,
                 const TranscribeOptions& options) {
  return session.transcribe(
      {.bytes = std::as_bytes(samples), .raw_format = "f32le:16000:" + std::to_string(channels)},
      options);
}

}  // namespace

TEST_CASE("speakers: a word is whose turn overlaps it most, or is near") {
  const app::TurnList turns({{0, 2, 0}, {2.1, 4, 1}, {9, 10, 0}});
  const std::vector<decoder::Word> words = {
      {" a", 0, 0.9}, {" b", 1.0, 1.9}, {" c", 1.9, 2.7}, {" d", 3.9, 4.9}, {" e", 6, 6.5}};
  const auto found = app::speakers_of(words, turns);
  CHECK(found == std::vector<app::SpeakerId>{0, 0, 1, 1, 1});
  CHECK(app::speakers_of(std::vector<decoder::Word>{{" e", 6, 6.5}}, turns) ==
        std::vector<app::SpeakerId>{std::nullopt});
}

TEST_CASE("speakers: a short flip is smoothed where the speaker around it speaks too") {
  const std::vector<decoder::Word> words = {{" a", 0, 1}, {" b", 1, 1.3}, {" c", 1.3, 2}};
  CHECK(app::speakers_of(words, app::TurnList({{0, 3, 0}, {1, 1.3, 1}, {1, 1.3, 1}})) ==
        std::vector<app::SpeakerId>{0, 0, 0});
  CHECK(app::speakers_of(words, app::TurnList({{0, 1, 0}, {1, 1.3, 1}, {1.3, 3, 0}})) ==
        std::vector<app::SpeakerId>{0, 1, 0});
  const std::vector<decoder::Word> sentence = {
      {" a", 0, 1}, {" b.", 1, 2}, {" C", 2, 2.2}, {" d", 2.3, 3}};
  CHECK(app::speakers_of(sentence, app::TurnList({{0, 2.2, 0}, {2.2, 3, 1}})) ==
        std::vector<app::SpeakerId>{0, 0, 1, 1});
}

TEST_CASE("speakers: random words have one speaker or none, and pieces are the segment") {
  std::mt19937 random(3);
  const auto upto = [&](unsigned n) { return static_cast<double>(random() % n) / 10; };
  for (int i = 0; i < 500; ++i) {
    std::vector<SpeakerTurn> turns;
    for (double at = 0; at < 20;) {
      const double begin = at + upto(15);
      turns.push_back({begin, begin + upto(60), static_cast<int>(random() % 4)});
      at = begin + upto(20);
    }
    std::vector<decoder::Word> words;
    double at = upto(30);
    for (auto n = 1 + random() % 20; n > 0; --n) {
      const double begin = at + upto(4);
      at = begin + upto(8);
      words.push_back({(n % 5 == 0 ? " w." : " wo"), begin, at});
    }
    const app::TurnList list(turns);
    const auto speakers = app::speakers_of(words, list);
    REQUIRE(speakers.size() == words.size());
    std::vector<std::size_t> cuts;
    for (std::size_t w = 0; w < speakers.size(); ++w) {
      CHECK(speakers[w].has_value() == speakers[0].has_value());
      CHECK(speakers[w].value_or(0) < std::max<std::size_t>(list.n_speakers(), 1));
      if (w > 0 && speakers[w] != speakers[w - 1]) cuts.push_back(w);
    }
    const decoder::Segment whole = segment_of_words(words);
    const auto pieces = app::cut_segment(whole, cuts, kEot);
    REQUIRE(pieces.size() == cuts.size() + 1);
    std::string text;
    std::vector<models::TokenId> tokens;
    double before = whole.start;
    for (const decoder::Segment& piece : pieces) {
      text += piece.text;
      tokens.insert(tokens.end(), piece.tokens.begin(), piece.tokens.end());
      CHECK(app::is_of_words(piece));
      CHECK(piece.start >= before);
      CHECK(piece.end >= piece.start);
      before = piece.start;
    }
    CHECK(text == whole.text);
    CHECK(tokens == whole.tokens);
    CHECK(pieces.front().start == whole.start);
    CHECK(pieces.back().end == whole.end);
  }
}

TEST_CASE("speakers: a channel loses what it hears of another, and keeps its own") {
  const auto anna = voice(10, 0, 5, 1);
  const auto ben = voice(10, 4, 10, 2);
  const std::vector<app::ChannelLevels> levels = {levels_of(mixed(anna, ben, 0.1F)),
                                                  levels_of(mixed(ben, anna, 0.1F))};
  std::vector<std::vector<decoder::Segment>> channels = {
      {segment_of_words({{" Hi", 1, 1.5}, {" Ben", 1.5, 2}, {" both", 4.2, 4.8}}),
       segment_of_words({{" hello", 7, 7.5}, {" Anna", 7.5, 8}})},
      {segment_of_words({{" high", 1.1, 1.6}, {" ben", 1.6, 2.1}, {" too", 4.2, 4.8}}),
       segment_of_words({{" Hello", 7, 7.5}, {" Anna", 7.5, 8}})}};
  app::drop_crosstalk(levels, kEot, channels);
  CHECK(texts(channels[0]) == " Hi Ben both|");
  CHECK(texts(channels[1]) == " too| Hello Anna|");
  const auto merged = app::merge_channels(channels, kEot);
  REQUIRE(merged.size() == 3);
  CHECK(merged[0].channel == 0);
  CHECK(merged[1].segment.text == " too");
}

TEST_CASE("speakers: a segment ends where another channel speaks in its pause") {
  std::vector<std::vector<decoder::Segment>> channels = {
      {segment_of_words({{" a", 0, 1}, {" b", 6, 7}})},
      {segment_of_words({{" c", 2, 3}}), segment_of_words({{" d", 6.2, 6.4}})}};
  std::string text;
  for (const auto& each : app::merge_channels(channels, kEot)) text += each.segment.text + "|";
  CHECK(text == " a| c| b| d|");
}

TEST_CASE("channels: each is the transcript of its recording alone, in the order of time") {
  const tests::EngineFixture f;
  Session session(f.model());
  std::vector<float> left = f.samples;
  std::vector<float> right = f.others;
  right.resize(left.size());
  std::vector<float> both;
  for (std::size_t i = 0; i < left.size(); ++i) both.insert(both.end(), {left[i], right[i]});
  TranscribeOptions separate = f.options;
  separate.channels = Channels::separate;
  const Transcript talk = heard(session, both, 2, separate);
  CHECK(joined_text(talk, "left") == joined_text(heard(session, left, 1, f.options)));
  CHECK(joined_text(talk, "right") == joined_text(heard(session, right, 1, f.options)));
  REQUIRE(talk.speakers.has_value());
  REQUIRE(talk.speakers->size() == 2);
  for (std::size_t i = 0; i < talk.segments.size(); ++i) {
    CHECK(talk.segments[i].id == i);
    CHECK(talk.segments[i].words.empty());
    CHECK((i == 0 || talk.segments[i].start >= talk.segments[i - 1].start));
  }
  CHECK(talk.input.channels == 2);
  separate.speakers.names = {{"left", "Anna"}, {"2", "Ben"}};
  separate.word_timestamps = true;
  const Transcript named = heard(session, both, 2, separate);
  CHECK(named.speakers->front().name == "Anna");
  CHECK(named.speakers->back().name == "Ben");
  for (const Segment& segment : named.segments) {
    for (const Word& word : segment.words) CHECK(word.speaker == segment.speaker);
  }
}

TEST_CASE("channels: a mono recording is one speaker, and nine channels are refused") {
  const tests::EngineFixture f;
  Session session(f.model());
  TranscribeOptions separate = f.options;
  separate.channels = Channels::separate;
  const Transcript mono = heard(session, f.others, 1, separate);
  REQUIRE(mono.speakers->size() == 1);
  CHECK(joined_text(mono, "channel 1") == joined_text(heard(session, f.others, 1, f.options)));
  const std::string refusal =
      tests::message_of<Error>([&] { heard(session, std::vector<float>(9000), 9, separate); });
  CHECK(tests::has(refusal, "expected at most 8 channels"));
  separate.speakers.enabled = true;
  CHECK(tests::has(tests::message_of<Error>([&] { heard(session, f.others, 1, separate); }),
                   "exclude each other"));
}
